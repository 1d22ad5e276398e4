# Helpers shared by every part: one way to declare a part, one way to declare a test.

add_library(thresher_warnings INTERFACE)
target_compile_options(thresher_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)

# Tables of rules are checked while they are compiled, in more steps than clang does unasked.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  add_compile_options(-fconstexpr-steps=100000000)
endif()

# ccache takes precompiled headers only when told that they are what they seem: ccache(1), "precompiled headers". It is not told to
# trust headers that change while a file is compiled: an object made of such a header was once taken for one of the next.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# Precompiled headers, one for the parts and one for the tests: a fifth of a cold build is parsing the standard library. A build
# without them (OFF) shows a file that includes too little. g++ alone: clang-tidy and the fuzz preset read the sources as they are.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  option(THRESHER_PRECOMPILED "Precompile the standard library's headers" ON)
endif()
# thresher_precompiled(NAME PARTS|PROGRAMS HEADER LIBS ...): a target whose precompiled header others take over, parts (-fPIC) or
# programs (-fPIE), which g++ does not mix.
function(thresher_precompiled name kind header)
  if(NOT THRESHER_PRECOMPILED)
    return()
  endif()
  if(kind STREQUAL PARTS)
    add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  else()
    add_executable(${name} ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  endif()
  target_compile_options(${name} PUBLIC -fpch-preprocess)
  target_link_libraries(${name} PRIVATE thresher_warnings ${ARGN})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/${header})
endfunction()
thresher_precompiled(thresher_standard_library PARTS standard_library.hpp)

# thresher_precompile(TARGET NAME): TARGET takes over the precompiled header of NAME.
function(thresher_precompile target name)
  if(TARGET ${name})
    target_compile_options(${target} PRIVATE -fpch-preprocess)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# Files that share most of what they include are compiled together, so that it is read, instantiated and optimised once (CONTRIBUTING
# says what that saves). Their names in namespaces without a name are then one set. g++ alone, as above: clang (`dev check`) reads
# each file by itself, and so finds one that includes too little.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  option(THRESHER_TOGETHER "Compile files that belong together at once" ON)
endif()
# thresher_together(TARGET FOLDER NAMES ... EXCEPT NAMES ...): those of the target's files are one set, of which at most 8 are
# compiled at once, or a change of one would take long. Names are patterns without ".cpp".
function(thresher_together target folder)
  cmake_parse_arguments(T "" "" "EXCEPT" ${ARGN})
  foreach(of UNPARSED_ARGUMENTS EXCEPT)
    list(TRANSFORM T_${of} REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/\\1.cpp")
  endforeach()
  file(GLOB files CONFIGURE_DEPENDS ${T_UNPARSED_ARGUMENTS})
  if(T_EXCEPT)
    file(GLOB except ${T_EXCEPT})
    list(REMOVE_ITEM files ${except})
  endif()
  list(LENGTH files count)
  if(NOT THRESHER_TOGETHER OR count EQUAL 0)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  list(GET files 0 first)
  get_filename_component(first ${first} NAME_WE)
  string(MAKE_C_IDENTIFIER ${folder}_${first} set)
  math(EXPR groups "(${count} + 7) / 8")
  math(EXPR each "(${count} + ${groups} - 1) / ${groups}")
  set(at 0)
  foreach(file ${files})
    math(EXPR group "${at} / ${each}")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${set}_${group})
    math(EXPR at "${at} + 1")
  endforeach()
endfunction()

# thresher_divide(SOURCES DEMO BEYOND ... KEEP ...): what a pattern of BEYOND fits and none of KEEP stays in the list SOURCES, the rest
# moves to the list DEMO.
function(thresher_divide sources demo)
  cmake_parse_arguments(D "" "" "BEYOND;KEEP" ${ARGN})
  list(TRANSFORM D_BEYOND REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1.cpp")
  file(GLOB beyond CONFIGURE_DEPENDS ${D_BEYOND})
  if(D_KEEP)
    list(TRANSFORM D_KEEP REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1.cpp")
    list(REMOVE_ITEM beyond ${D_KEEP})
  endif()
  set(rest ${${sources}})
  list(REMOVE_ITEM rest ${beyond})
  set(${sources} ${beyond} PARENT_SCOPE)
  set(${demo} ${rest} PARENT_SCOPE)
endfunction()

# How thresher_part() compiles its sources, of which it has told P_...
macro(thresher_compiled_as_part target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${P_PUBLIC}
    PRIVATE ${P_PRIVATE} $<BUILD_INTERFACE:thresher_warnings>)
  if(NOT P_PLAIN)
    thresher_precompile(${target} thresher_standard_library)
  endif()
endmacro()

# thresher_part(NAME SOURCES ... ): target thresher_NAME, alias thresher::NAME, headers in NAME/include. PLAIN: without precompiled
# headers, because some of its files are for other processors. BEYOND_DEMO: patterns, without ".cpp", of those sources that `./dev demo`
# does without, DEMO_HAS: names of some that it needs nevertheless. All others are compiled as thresher_NAME_demo, whose objects are
# part of thresher_NAME, so that nothing is compiled twice.
function(thresher_part name)
  cmake_parse_arguments(P "PLAIN" "" "SOURCES;BEYOND_DEMO;DEMO_HAS;PUBLIC;PRIVATE" ${ARGN})
  if(P_BEYOND_DEMO)
    thresher_divide(P_SOURCES demo_sources BEYOND ${P_BEYOND_DEMO} KEEP ${P_DEMO_HAS})
    add_library(thresher_${name}_demo OBJECT ${demo_sources})
    thresher_compiled_as_part(thresher_${name}_demo)
    # A set of files that are compiled together may lie in both: see thresher_together.
    set_target_properties(thresher_${name}_demo PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    list(APPEND P_SOURCES $<TARGET_OBJECTS:thresher_${name}_demo>)
  endif()
  if(P_SOURCES)
    add_library(thresher_${name} STATIC ${P_SOURCES})
    thresher_compiled_as_part(thresher_${name})
  else()
    add_library(thresher_${name} INTERFACE)
    target_include_directories(thresher_${name} INTERFACE
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(thresher_${name} INTERFACE ${P_PUBLIC})
  endif()
  add_library(thresher::${name} ALIAS thresher_${name})
  set_target_properties(thresher_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS thresher_${name} EXPORT thresher ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} OPTIONAL)
endfunction()

# thresher_objects(OUT PARTS ...): all that was compiled for parts, where no archive will do.
function(thresher_objects out)
  set(objects)
  foreach(part ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:thresher_${part}>)
    if(TARGET thresher_${part}_demo)
      list(APPEND objects $<TARGET_OBJECTS:thresher_${part}_demo>)
    endif()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()

# thresher_test(NAME LABEL fast|slow SOURCES ... LIBS ...): one GoogleTest binary, one ctest entry. PLAIN: without precompiled headers,
# where g++ 12 warns of its own std::string if they are precompiled (array-bounds, a false one: GCC bug 105651).
# Ctest counts quarters of a core (`dev test`): a test that computes takes four, one of integration/, which waits for nodes and timers
# half of the time, takes two, and tests/costs names those that take one. SLOW_TESTS: patterns of GoogleTest; these make an entry of their own, NAME_slow_part, and the fast one leaves them out.
# LONG_TESTS: patterns of those of which the fast one draws less (tests/how_many.hpp); NAME_in_full draws all, as every slow one does.
function(thresher_test name)
  cmake_parse_arguments(T "PLAIN" "LABEL;TIMEOUT" "SOURCES;LIBS;SLOW_TESTS;LONG_TESTS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_LIBS} thresher_warnings
    GTest::gtest GTest::gmock GTest::gtest_main rapidcheck rapidcheck_gtest)
  if(NOT T_PLAIN)
    thresher_precompile(${name} thresher_test_library)
  endif()
  if(NOT T_LABEL)
    set(T_LABEL fast)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)  # of what takes half a minute beside others: for a machine that others use as well
  endif()
  set(chosen)
  set(but)
  if(T_SLOW_TESTS)
    string(REPLACE ";" ":" patterns "${T_SLOW_TESTS}")
    set(but "-${patterns}")
    set(chosen "--gtest_filter=${but}")
    add_test(NAME ${name}_slow_part COMMAND ${name} "--gtest_filter=${patterns}")
    set_tests_properties(${name}_slow_part PROPERTIES LABELS slow TIMEOUT 1800 ENVIRONMENT THRESHER_LONG=1)
  endif()
  if(T_LONG_TESTS)
    string(REPLACE ";" ":" patterns "${T_LONG_TESTS}")
    add_test(NAME ${name}_in_full COMMAND ${name} "--gtest_filter=${patterns}${but}")
    set_tests_properties(${name}_in_full PROPERTIES LABELS slow TIMEOUT 1800 ENVIRONMENT THRESHER_LONG=1)
  endif()
  add_test(NAME ${name} COMMAND ${name} ${chosen})
  set_tests_properties(${name} PROPERTIES LABELS ${T_LABEL} TIMEOUT ${T_TIMEOUT})
  if(T_LABEL STREQUAL slow)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT THRESHER_LONG=1)
  endif()
  if(name MATCHES "^integration_")
    set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  else()
    set_tests_properties(${name} PROPERTIES PROCESSORS 4)
  endif()
endfunction()

# Targets for libFuzzer (preset fuzz, clang): bin/fuzz_NAME -max_total_time=60. Other builds link them
# with a driver that makes 2,000 inputs of its own (tests/fuzz/standalone.cpp), as a fast test; where these take long, FEW, a fast
# one of 500 and a slow one, fuzz_NAME_in_full.
option(THRESHER_FUZZ "Build the fuzz targets for libFuzzer" OFF)
function(thresher_fuzz name)
  cmake_parse_arguments(T "FEW" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz)
  target_link_libraries(${name} PRIVATE ${T_LIBS} thresher::core thresher_warnings)
  if(THRESHER_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/fuzz/standalone.cpp)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 120 PROCESSORS 4)
    set(inputs 2000)
    if(T_FEW)
      set(inputs 500)
      add_test(NAME ${name}_in_full COMMAND ${name})
      set_tests_properties(${name}_in_full PROPERTIES LABELS slow TIMEOUT 600 ENVIRONMENT THRESHER_LONG=1)
    endif()
    target_compile_definitions(${name} PRIVATE FAST_INPUTS=${inputs})
  endif()
endfunction()
