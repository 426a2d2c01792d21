# ckjitConfig.cmake - what find_package(ckjit) gives: the program, and sources of kernels from a matrix (docs/matrix.md).
#
#   CKJIT_PREBUILD     ckjit-prebuild of this installation
#   ckjit_generate_kernels(<variable>
#                          NAME_FORMAT <format>        names of the sources: kernel_@hdim@_@dtype@
#                          MATRIX_JSON_FILE <file>     relative to the source directory
#                          KERNEL_INPUT_FILE <file>    the template, kernel.cu.in; likewise
#                          OUTPUT_DIR <directory>      relative to the binary directory; OUTPUT_DIRECTORY is the same
#                          [LANGUAGE <language>])      of the sources; without it what their extension says, and of CUDA and HIP the one
#                                                      that the project has
#
# It writes the sources when the project is configured, again if the matrix or the template changes, and sets <variable> to their paths. Without a
# language CMake would leave the sources out of their target without a word. So that is an error here.
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

function(ckjit_generate_kernels variable)
  set(one NAME_FORMAT MATRIX_JSON_FILE KERNEL_INPUT_FILE OUTPUT_DIR OUTPUT_DIRECTORY LANGUAGE)
  cmake_parse_arguments(PARSE_ARGV 1 _ckjit "" "${one}" "")
  if(DEFINED _ckjit_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ckjit_generate_kernels: ${_ckjit_UNPARSED_ARGUMENTS}: unknown; expected ${one}")
  endif()
  if(_ckjit_OUTPUT_DIRECTORY AND NOT _ckjit_OUTPUT_DIR)
    set(_ckjit_OUTPUT_DIR "${_ckjit_OUTPUT_DIRECTORY}")
  endif()
  foreach(needed NAME_FORMAT MATRIX_JSON_FILE KERNEL_INPUT_FILE OUTPUT_DIR)
    if(NOT _ckjit_${needed})
      message(FATAL_ERROR "ckjit_generate_kernels: ${needed} is missing")
    endif()
  endforeach()
  get_filename_component(matrix "${_ckjit_MATRIX_JSON_FILE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(template "${_ckjit_KERNEL_INPUT_FILE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  get_filename_component(dir "${_ckjit_OUTPUT_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  string(REGEX REPLACE "\\.in$" "" name "${template}")
  _ckjit_language(language "${name}" "${_ckjit_LANGUAGE}")

  execute_process(
    COMMAND "${CKJIT_PREBUILD}" matrix "${matrix}" --template "${template}" --output-dir "${dir}" --name-format "${_ckjit_NAME_FORMAT}"
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
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${matrix}" "${template}")
  set_source_files_properties(${sources} PROPERTIES LANGUAGE "${language}")
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()
