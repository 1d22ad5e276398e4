# Seconds of the fast tests over eight, as they run beside others on two cores: about, for their order alone.
foreach(row
    "120 proofs"
    "65 integration_node_running unit_net"
    "55 integration_examples integration_node_observe integration_node_start"
    "50 integration_digraph_agree integration_dkg_cli integration_life integration_life_clients"
    "45 integration_cli integration_store_holes"
    "35 integration_cli_sim integration_joining integration_node_clients unit_verify"
    "30 integration_agreement integration_cluster integration_gateway integration_nightly property_broadcast"
    "25 conformance_verify integration_digraph_links integration_node_protocols integration_your_protocol property_coin
     property_sim"
    "20 integration_certified_four integration_channel integration_node integration_node_application integration_node_rows
     property_crypto property_dag"
    "15 integration_beacon integration_coin integration_node_away integration_report property_agreement property_certified
     property_dag_silence unit_sim_file"
    "10 fuzz_verify integration_cli_outputs integration_cli_sim_find integration_cluster_others integration_life_backup
     integration_life_lost_snapshots integration_node_numbers integration_node_peers integration_reproduce integration_store_crashes property_agreement_tables
     property_certified_arena property_dag_schedules property_harness property_late_leaders property_leader_chain
     property_mahi_mahi property_order property_two_delays property_verify property_verify_brute_force
     property_verify_exploration unit_coin unit_digraph unit_sim unit_sim_models unit_testing")
  string(REGEX MATCHALL "[^ \n]+" tests "${row}")
  list(POP_FRONT tests seconds)
  foreach(test IN LISTS tests)
    set_tests_properties(${test} PROPERTIES COST ${seconds})
  endforeach()
endforeach()

# Quarters of a core that a test takes (thresher_test in cmake/Thresher.cmake), where it says nothing itself: Python's are half a core,
# and these a quarter, which wait for nodes, disks and clocks nearly all of their time.
foreach(test
    howto_back_up_and_restore howto_reproduce_a_figure howto_run_an_experiment integration_beacon integration_changed integration_cli integration_cli_outputs integration_cli_unreadable integration_cluster_history
    integration_cluster_others integration_cluster_trace integration_cluster_wan integration_demo integration_docs integration_examples
    integration_gateway integration_gateway_client integration_history integration_life_backup integration_life_lost_snapshots
    integration_life_proofs integration_nightly integration_node_journal integration_node_running integration_node_secrets integration_package integration_two_delays integration_verify_interrupt
    integration_verify_stream)
  set_tests_properties(${test} PROPERTIES PROCESSORS 2)
endforeach()
foreach(test
    integration_cluster_stalled integration_digraph_agree integration_digraph_links integration_dkg_cli integration_life_clients
    integration_node_clients integration_node_observe integration_node_start integration_store_holes)
  set_tests_properties(${test} PROPERTIES PROCESSORS 1)
endforeach()
