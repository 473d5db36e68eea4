# Language level, warnings, sanitizers, linker and compiler cache: everything that every target shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELEASE "-O2")

find_program(HYPATIA_CCACHE ccache)
if(HYPATIA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HYPATIA_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${HYPATIA_CCACHE})
endif()
find_program(HYPATIA_MOLD mold)
if(HYPATIA_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(hypatia_warnings INTERFACE)
target_compile_options(hypatia_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wdouble-promotion
  -Wimplicit-fallthrough -Wextra-semi -Wcast-qual -Wconversion -Wsign-conversion>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(hypatia_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wduplicated-cond -Wlogical-op -Wuseless-cast
    -Wno-restrict -Wno-maybe-uninitialized>)  # g++ 12 reports string concatenation and an empty std::any
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  # g++ 12 takes strings of precompiled headers for the program's own and reports impossible lengths in them.
  target_compile_options(hypatia_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread>)
endif()
if(NOT HYPATIA_BUNDLE)  # in a bundle, the private names of other files are in sight
  target_compile_options(hypatia_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>)
endif()
if(HYPATIA_WERROR)
  target_compile_options(hypatia_warnings INTERFACE -Werror)
endif()

if(HYPATIA_SANITIZE)
  # These builds are made more often than their tests are waited for. Checks of undefined behaviour take the optimiser
  # thrice the time of compiling without it.
  set(level -O1)
  if(HYPATIA_SANITIZE MATCHES undefined)
    # Null pointers and wild ones are the address sanitizer's to find; asking at each access costs a quarter of the time.
    set(level -O0 -fno-sanitize=null,alignment,object-size,vptr)
  endif()
  add_compile_options(-fsanitize=${HYPATIA_SANITIZE} -fno-omit-frame-pointer -g1 ${level})
  add_link_options(-fsanitize=${HYPATIA_SANITIZE})
endif()

# Up to eight files of a folder as one translation unit: templates that all of them use are instantiated once.
# So names in a folder's anonymous namespaces differ from file to file. Whoever edits the engine turns
# HYPATIA_BUNDLE off (preset `dev`): a changed file then compiles alone.
function(hypatia_bundle target)
  if(NOT HYPATIA_BUNDLE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(name ${folder} NAME)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR at "${count_${folder}} + 0")
    math(EXPR count_${folder} "${at} + 1")
    math(EXPR bundle "${at} / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${bundle})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes what a bundle includes for headers, whose private types others might name.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
