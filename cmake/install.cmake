# The engine as a package: find_package(hypatia) gives hypatia::hypatia, and <hypatia/hypatia.h>.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS hypatia_engine EXPORT hypatia ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY engine/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY engine/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/engine FILES_MATCHING PATTERN "*.h"
  PATTERN "include" EXCLUDE PATTERN "device/cpu" EXCLUDE PATTERN "device/cuda" EXCLUDE PATTERN "device/sim" EXCLUDE)
install(EXPORT hypatia NAMESPACE hypatia:: FILE hypatia-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hypatia)
configure_package_config_file(cmake/hypatia-config.cmake.in ${CMAKE_BINARY_DIR}/hypatia-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hypatia)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/hypatia-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/hypatia-config.cmake ${CMAKE_BINARY_DIR}/hypatia-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hypatia)
