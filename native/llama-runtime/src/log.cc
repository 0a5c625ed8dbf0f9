#include "log.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "events/families.h"
#include "llama.h"

namespace mesh::llama {

namespace {

void ReplaceAll(std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string LastComponent(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string Directory(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// "llama_model_load: error loading model" says in which C++ function; the reader of an error does not need that.
std::string WithoutFunctionName(const std::string& line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string::npos) return line;
  const bool identifier = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '~';
  });
  return identifier ? line.substr(colon + 2) : line;
}

bool StartsPath(const std::string& line, std::size_t at) {
  if (line[at] != '/') return false;
  return at == 0 || std::strchr(" \t'\"`(=[<", line[at - 1]) != nullptr;
}

}  // namespace

std::string WithoutPaths(const std::string& line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    if (!StartsPath(line, at)) {
      out += line[at++];
      continue;
    }
    // A quoted path may hold spaces; it ends at its quote.
    const char before = at == 0 ? ' ' : line[at - 1];
    const std::string quote(1, before);
    const bool quoted = before == '\'' || before == '"' || before == '`';
    const std::size_t end = quoted ? line.find(quote, at) : line.find_first_of(" \t,;)]>", at);
    out += "<path>";
    at = end == std::string::npos ? line.size() : end;
  }
  return out;
}

// The unfinished line and the innermost capture of one thread.
class ThreadLog {
 public:
  static ThreadLog& Current() {
    thread_local ThreadLog log;
    return log;
  }

  void Add(ggml_log_level level, const char* text) {
    // A continuation belongs to the level of the line it continues.
    if (level != GGML_LOG_LEVEL_CONT) level_ = level;
    for (; *text != '\0'; ++text) {
      if (*text == '\n') {
        Finish();
      } else if (line_.size() < LOG_LINE_BYTES_MAX) {
        line_ += *text;
      }
    }
  }

  LogCapture* Exchange(LogCapture* capture) { return std::exchange(capture_, capture); }
  LogCapture* capture() const { return capture_; }

 private:
  void Finish() {
    const std::string line = std::exchange(line_, {});
    if (line.empty()) return;
    if (level_ == GGML_LOG_LEVEL_ERROR) {
      for (LogCapture* capture = capture_; capture != nullptr; capture = capture->outer_) capture->AddError(line);
    } else if (level_ == GGML_LOG_LEVEL_WARN) {
      RaiseWarning(line);
    }
  }

  void RaiseWarning(std::string line) {
    for (const LogCapture* capture = capture_; capture != nullptr; capture = capture->outer_) {
      // Known paths first: these are recognised even when they hold spaces.
      for (const std::string& path : capture->paths_) ReplaceAll(line, path, "<path>");
    }
    EmitDiagnostic(SKIPPY_EVENT_KIND_DIAGNOSTIC_WARNING_RAISED, SKIPPY_EVENT_FAILURE_NONE, WithoutPaths(line));
  }

  std::string line_;
  ggml_log_level level_ = GGML_LOG_LEVEL_NONE;
  LogCapture* capture_ = nullptr;
};

LogCapture::LogCapture(std::vector<std::string> paths) : outer_(nullptr), paths_(std::move(paths)) {
  outer_ = ThreadLog::Current().Exchange(this);
}

LogCapture::~LogCapture() { ThreadLog::Current().Exchange(outer_); }

void LogCapture::AddError(const std::string& line) {
  std::string text = WithoutFunctionName(line);
  for (const std::string& path : paths_) {
    ReplaceAll(text, path, LastComponent(path));
    // A missing part is named by llama.cpp with the folder of the part it was given.
    if (Directory(path).size() > 1) ReplaceAll(text, Directory(path), "");
  }
  out_of_memory_ = out_of_memory_ || text.find("failed to allocate") != std::string::npos ||
                   text.find("unable to allocate") != std::string::npos || text.find("bad_alloc") != std::string::npos;
  errors_.push_back(WithoutPaths(text));
}

std::string LogCapture::Reason() const {
  std::string reason;
  for (const std::string& error : errors_) {
    if (!reason.empty()) reason += "; ";
    reason += error;
  }
  if (reason.size() > REASON_BYTES_MAX) reason.resize(REASON_BYTES_MAX);
  return reason;
}

void InstallLog() {
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        // llama.cpp is C++ and ggml is C: nothing may unwind through the latter. A lost log line is the smaller harm.
        try {
          ThreadLog::Current().Add(level, text);
        } catch (...) {
        }
      },
      nullptr);
}

}  // namespace mesh::llama
