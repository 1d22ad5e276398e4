# Two shared libraries beside the static parts, with pkg-config files: libthresher-client has what a client needs, libthresher the
# node on top of it. They hold the objects of the parts, so nothing is compiled twice.
option(THRESHER_SHARED "Build the shared libraries" ON)
if(NOT THRESHER_SHARED OR NOT TARGET thresher_net)
  return()
endif()

# thresher_shared(NAME DESCRIPTION ... PARTS ... LIBS ...)
function(thresher_shared name)
  cmake_parse_arguments(S "" "DESCRIPTION;REQUIRES" "PARTS;LIBS" ${ARGN})
  thresher_objects(objects ${S_PARTS})
  add_library(${name}-shared SHARED ${objects})
  target_link_libraries(${name}-shared PRIVATE ${S_LIBS})
  target_link_options(${name}-shared PRIVATE LINKER:--no-undefined LINKER:--as-needed)
  set_target_properties(${name}-shared PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS ${name}-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  # From where the file lies, so that an installed copy may be moved: LIBDIR/pkgconfig.
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up ${up})
  set(PC_PREFIX "\${pcfiledir}/${up}")
  set(PC_NAME ${name})
  set(PC_DESCRIPTION ${S_DESCRIPTION})
  set(PC_REQUIRES ${S_REQUIRES})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/thresher.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

thresher_shared(thresher-client
  DESCRIPTION "Client of a Thresher network"
  PARTS core text crypto coding protocols client
  LIBS PkgConfig::sodium PkgConfig::isal OpenSSL::SSL OpenSSL::Crypto protobuf::libprotobuf-lite Threads::Threads ${CMAKE_DL_LIBS})
thresher_shared(thresher
  DESCRIPTION "Node of a Thresher network, to be embedded"
  REQUIRES "thresher-client = ${PROJECT_VERSION}"
  PARTS net
  LIBS thresher-client-shared PkgConfig::sodium OpenSSL::SSL OpenSSL::Crypto RocksDB::rocksdb-shared prometheus-cpp::core
       tomlplusplus::tomlplusplus
       Threads::Threads)
