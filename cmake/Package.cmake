# `cpack -G DEB` in the build folder: one package with the binary, libraries, headers, CMake and pkg-config files, manual page,
# completion, systemd unit, and what Prometheus and Grafana want.
install(FILES deploy/systemd/thresher@.service DESTINATION lib/systemd/system)
install(FILES deploy/prometheus/alerts.yml deploy/grafana/thresher.json DESTINATION ${CMAKE_INSTALL_DATADIR}/thresher/deploy)
install(FILES clients/python/thresher_client.py DESTINATION ${CMAKE_INSTALL_DATADIR}/thresher/clients/python)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/thresher RENAME copyright)

set(CPACK_PACKAGE_NAME thresher)
set(CPACK_PACKAGE_VENDOR "Thresher")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Byzantine-fault-tolerant broadcast and consensus")
set(CPACK_PACKAGE_DESCRIPTION
  "Runs and embeds nodes that order transactions although some of them fail or lie, simulates and checks such protocols.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Thresher authors <thresher@thresher.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/net)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
