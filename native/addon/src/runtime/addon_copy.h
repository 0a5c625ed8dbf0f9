#pragma once

#include <optional>
#include <string>

namespace mesh::runtime {

// The file this copy of the addon was loaded from.
std::string OwnAddonPath();

// The file of another copy of the addon in this process that runs the runtime with this primary library.
std::optional<std::string> FindOtherCopy(const std::string& primary);

}  // namespace mesh::runtime
