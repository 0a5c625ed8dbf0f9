// llama.cpp explains its failures in its log alone, in fragments, through one process-wide callback. This file joins the
// fragments to lines, per thread, and gives them to whoever is interested: the failed call, and the diagnostic family.
#pragma once

#include <string>
#include <vector>

namespace mesh::llama {

// Longest reason that goes into an error.
inline constexpr std::size_t REASON_BYTES_MAX = 1024;
// A line that grows past this is cut: a log is no place for unbounded memory.
inline constexpr std::size_t LOG_LINE_BYTES_MAX = 4096;

// Makes llama.cpp and ggml log into this file. Nothing of theirs reaches stderr: a library has no business there.
void InstallLog();

// While it lives, collects the error lines that llama.cpp writes on this thread. Captures nest.
class LogCapture {
 public:
  // `paths` are the files the call works on; they are named by their last component in everything captured.
  explicit LogCapture(std::vector<std::string> paths = {});
  ~LogCapture();
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  // The error lines so far, in one line, at most REASON_BYTES_MAX.
  std::string Reason() const;
  // Whether one of them says that memory could not be had.
  bool OutOfMemory() const noexcept { return out_of_memory_; }

 private:
  friend class ThreadLog;
  void AddError(const std::string& line);

  LogCapture* outer_;
  std::vector<std::string> paths_;
  std::vector<std::string> errors_;
  bool out_of_memory_ = false;
};

// The line without any absolute path: what begins with a slash becomes "<path>".
std::string WithoutPaths(const std::string& line);

}  // namespace mesh::llama
