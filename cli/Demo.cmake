# The program of `./dev demo`: three verbs, one protocol, none of the verifier, so that it is there in half of the time. It is made of
# the same objects as `thresher`, but for what the folders src/demo say in place of what is left out. It is not installed.
find_package(Protobuf REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(tomlplusplus CONFIG REQUIRED)
thresher_verbs(${CMAKE_CURRENT_BINARY_DIR}/demo_registry.cpp ${demo_verbs})
thresher_objects(objects core text coding crypto)
foreach(part protocols client net sim cli)
  list(APPEND objects $<TARGET_OBJECTS:thresher_${part}_demo>)
endforeach()
add_executable(thresher_demo ${CMAKE_CURRENT_BINARY_DIR}/demo_registry.cpp src/demo/left_out.cpp
  ${PROJECT_SOURCE_DIR}/net/src/demo/gateway.cpp ${PROJECT_SOURCE_DIR}/net/src/demo/protocols.cpp ${PROJECT_SOURCE_DIR}/sim/src/demo/subjects.cpp ${objects})
set_target_properties(thresher_demo PROPERTIES OUTPUT_NAME thresher-demo)
target_include_directories(thresher_demo PRIVATE src ${PROJECT_SOURCE_DIR}/net/src)
foreach(part protocols client net sim crypto)
  target_include_directories(thresher_demo PRIVATE ${PROJECT_SOURCE_DIR}/${part}/include)
endforeach()
target_link_libraries(thresher_demo PRIVATE thresher_cli_args thresher::core thresher_warnings
  spdlog::spdlog fmt::fmt OpenSSL::SSL OpenSSL::Crypto PkgConfig::sodium PkgConfig::isal RocksDB::rocksdb-shared
  prometheus-cpp::core tomlplusplus::tomlplusplus protobuf::libprotobuf-lite Threads::Threads ${CMAKE_DL_LIBS})
