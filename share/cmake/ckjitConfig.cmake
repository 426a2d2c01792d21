# ckjitConfig.cmake - what find_package(ckjit) gives: the program, and sources of kernels from a matrix (docs/matrix.md).
#
#   CKJIT_PREBUILD     ckjit-prebuild of this installation
#   ckjit_generate_kernels(<variable>
#                          NAME_FORMAT <format>        names of the sources: kernel_@hdim@_@dtype@
#                          MATRIX_JSON_FILE <file>     relative to the source directory; or
#                          MATRIX_JSON_STRING <json>   the matrix itself
#                          KERNEL_INPUT_FILE <file>    the template, kernel.cu.in; likewise
#                          OUTPUT_DIR <directory>      relative to the binary directory; OUTPUT_DIRECTORY is the same
#                          [FRAGMENT_TAG_FORMAT <format>]          a type, with @variable@: each source is a fragment with it as its tag
#                                                                  (docs/fragments.md)
#                          [FRAGMENT_TAG_HEADER_FILES <header>…]   what defines it: <a.h>, "a.h" or a.h, which is "a.h"
#                          [KERNEL_LINK_LIBRARIES <target>…]       what the sources are compiled with …
#                          [KERNEL_EXTRA_COMPILE_OPTIONS <option>…]
#                          [LANGUAGE <language>])      of the sources; without it what their extension says, and of CUDA and HIP the one
#                                                      that the project has
#
# These are the arguments of cuVS's generate_jit_lto_kernels, and mean the same. It writes the sources when the project is configured, again if the matrix or
# the template changes, and appends their paths to <variable>; or, with one of the last four of cuVS's, their objects: then they are a target of their own, an
# object library, compiled with -rdc=true if they are CUDA. Without a language CMake would leave the sources out of their target without a word. So that is an
# error here.
cmake_minimum_required(VERSION 3.18...3.31)

# Without an include_guard: each directory that asks for the package needs the variable.
get_filename_component(CKJIT_PREBUILD "${CMAKE_CURRENT_LIST_DIR}/../../../bin/ckjit-prebuild" ABSOLUTE)
if(NOT EXISTS "${CKJIT_PREBUILD}")
  set(ckjit_FOUND FALSE)
  set(ckjit_NOT_FOUND_MESSAGE "there is no ${CKJIT_PREBUILD}")
  return()
endif()

# The language of sources called like NAME, in VARIABLE; FATAL_ERROR if the project has none for them.
function(_ckjit_language variable name wanted)
  get_property(enabled GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(candidates "${wanted}")
  if(NOT wanted)
    if(name MATCHES "\\.cu$")
      set(candidates CUDA HIP)
    elseif(name MATCHES "\\.hip$")
      set(candidates HIP)
    elseif(name MATCHES "\\.(cpp|cc|cxx|C|c\\+\\+)$")
      set(candidates CXX)
    else()
      message(FATAL_ERROR "ckjit_generate_kernels: ${name}: its extension is of no language that has kernels; say LANGUAGE")
    endif()
  endif()
  foreach(candidate IN LISTS candidates)
    if(candidate IN_LIST enabled)
      set(${variable} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  list(JOIN candidates " or " expected)
  message(FATAL_ERROR "ckjit_generate_kernels: ${name}: the project has the languages ${enabled}; expected ${expected}, as in "
                      "project(… LANGUAGES …) or enable_language(…); without it CMake would leave out every kernel")
endfunction()

# The text that makes each source a fragment with the tag FORMAT, in VARIABLE.
function(_ckjit_tag variable format headers)
  set(text "\n")
  foreach(header IN LISTS headers)
    if(NOT header MATCHES "^(\".*\"|<.*>)$")
      set(header "\"${header}\"")
    endif()
    string(APPEND text "#include ${header}\n")
  endforeach()
  set(${variable} "${text}using ckjit_fragment = ${format};\n" PARENT_SCOPE)
endfunction()

# Compile SOURCES of LANGUAGE in a target of their own; their objects, in VARIABLE.
function(_ckjit_objects variable sources language libraries options)
  get_property(number GLOBAL PROPERTY CKJIT_KERNEL_TARGETS)
  if(NOT number)
    set(number 0)
  endif()
  math(EXPR number "${number} + 1")
  set_property(GLOBAL PROPERTY CKJIT_KERNEL_TARGETS ${number})
  set(target "ckjit_kernels_${number}")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${target} PRIVATE ${libraries})
  target_compile_options(${target} PRIVATE ${options})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(language STREQUAL "CUDA")
    set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
  endif()
  set(${variable} "$<TARGET_OBJECTS:${target}>" PARENT_SCOPE)
endfunction()

function(ckjit_generate_kernels variable)
  set(one NAME_FORMAT MATRIX_JSON_FILE MATRIX_JSON_STRING KERNEL_INPUT_FILE FRAGMENT_TAG_FORMAT OUTPUT_DIR OUTPUT_DIRECTORY LANGUAGE)
  set(many FRAGMENT_TAG_HEADER_FILES KERNEL_LINK_LIBRARIES KERNEL_EXTRA_COMPILE_OPTIONS)
  cmake_parse_arguments(PARSE_ARGV 1 _ckjit "" "${one}" "${many}")
  if(DEFINED _ckjit_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ckjit_generate_kernels: ${_ckjit_UNPARSED_ARGUMENTS}: unknown; expected ${one};${many}")
  endif()
  if(_ckjit_OUTPUT_DIRECTORY AND NOT _ckjit_OUTPUT_DIR)
    set(_ckjit_OUTPUT_DIR "${_ckjit_OUTPUT_DIRECTORY}")
  endif()
  foreach(needed NAME_FORMAT KERNEL_INPUT_FILE OUTPUT_DIR)
    if(NOT _ckjit_${needed})
      message(FATAL_ERROR "ckjit_generate_kernels: ${needed} is missing")
    endif()
  endforeach()
  if(_ckjit_MATRIX_JSON_FILE AND _ckjit_MATRIX_JSON_STRING)
    message(FATAL_ERROR "ckjit_generate_kernels: MATRIX_JSON_FILE and MATRIX_JSON_STRING: expected one of them")
  elseif(NOT _ckjit_MATRIX_JSON_FILE AND NOT _ckjit_MATRIX_JSON_STRING)
    message(FATAL_ERROR "ckjit_generate_kernels: MATRIX_JSON_FILE is missing")
  elseif(_ckjit_FRAGMENT_TAG_HEADER_FILES AND NOT _ckjit_FRAGMENT_TAG_FORMAT)
    message(FATAL_ERROR "ckjit_generate_kernels: FRAGMENT_TAG_HEADER_FILES needs FRAGMENT_TAG_FORMAT")
  endif()
  get_filename_component(template "${_ckjit_KERNEL_INPUT_FILE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(dir "${_ckjit_OUTPUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  if(_ckjit_MATRIX_JSON_STRING)
    string(MD5 digest "${_ckjit_NAME_FORMAT}") # a directory may have the sources of several
    set(matrix "${dir}/.matrix-${digest}.json")
    file(WRITE "${matrix}" "${_ckjit_MATRIX_JSON_STRING}")
  else()
    get_filename_component(matrix "${_ckjit_MATRIX_JSON_FILE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${matrix}")
  endif()
  string(REGEX REPLACE "\\.in$" "" name "${template}")
  _ckjit_language(language "${name}" "${_ckjit_LANGUAGE}")
  set(append)
  if(_ckjit_FRAGMENT_TAG_FORMAT)
    _ckjit_tag(tag "${_ckjit_FRAGMENT_TAG_FORMAT}" "${_ckjit_FRAGMENT_TAG_HEADER_FILES}")
    string(REPLACE ";" "\\;" tag "${tag}")
    set(append --append "${tag}")
  endif()

  execute_process(
    COMMAND "${CKJIT_PREBUILD}" matrix "${matrix}" --template "${template}" --output-dir "${dir}" --name-format "${_ckjit_NAME_FORMAT}" ${append}
    OUTPUT_VARIABLE sources OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_VARIABLE said ERROR_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "ckjit_generate_kernels: ${status}\n${said}")
  elseif(said)
    message(WARNING "ckjit_generate_kernels:\n${said}")
  endif()
  string(REPLACE ";" "\\;" sources "${sources}")
  string(REPLACE "\n" ";" sources "${sources}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${template}")
  set_source_files_properties(${sources} PROPERTIES LANGUAGE "${language}")
  if(_ckjit_FRAGMENT_TAG_FORMAT OR _ckjit_KERNEL_LINK_LIBRARIES OR _ckjit_KERNEL_EXTRA_COMPILE_OPTIONS)
    _ckjit_objects(sources "${sources}" "${language}" "${_ckjit_KERNEL_LINK_LIBRARIES}" "${_ckjit_KERNEL_EXTRA_COMPILE_OPTIONS}")
  endif()
  if(${variable})
    set(sources "${${variable}};${sources}")
  endif()
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()
