// Text to tokens and back.

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <vector>

#include "model.h"

namespace mesh::llama {

namespace {

// llama.cpp asserts, and so ends the process, when a model without a tokenizer is asked to tokenize.
const llama_vocab* VocabularyOf(const skippy_model* model) {
  if (model == nullptr) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the model is null");
  const llama_vocab* vocabulary = llama_model_get_vocab(OpenModelOf(*model->state));
  if (llama_vocab_type(vocabulary) == LLAMA_VOCAB_TYPE_NONE) {
    throw Failure(SKIPPY_STATUS_UNSUPPORTED, "the model has no tokenizer");
  }
  return vocabulary;
}

int32_t Bounded(std::size_t value) { return value > INT_MAX ? INT_MAX : static_cast<int32_t>(value); }

void RequireToken(const llama_vocab* vocabulary, int32_t token) {
  if (token < 0 || token >= llama_vocab_n_tokens(vocabulary)) {
    throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "a token is outside the vocabulary of the model");
  }
}

// The bytes of one token, control tokens empty. Token by token, so that texts of consecutive calls can be joined: spaces
// stay where they are, and a character that spans tokens comes in its parts.
void AppendPiece(const llama_vocab* vocabulary, int32_t token, std::string& text) {
  std::vector<char> piece(64);
  int32_t length = llama_token_to_piece(vocabulary, token, piece.data(), Bounded(piece.size()), 0, false);
  if (length < 0) {
    piece.resize(static_cast<std::size_t>(-length));
    length = llama_token_to_piece(vocabulary, token, piece.data(), Bounded(piece.size()), 0, false);
  }
  if (length > 0) text.append(piece.data(), static_cast<std::size_t>(length));
}

}  // namespace

}  // namespace mesh::llama

using mesh::llama::Failure;
using mesh::llama::Guarded;
using mesh::llama::VocabularyOf;

extern "C" int32_t skippy_tokenize(skippy_model* model, const char* text, bool add_special, int32_t* out_tokens,
                                   size_t capacity, size_t* out_count, skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    if (text == nullptr || out_count == nullptr || (out_tokens == nullptr && capacity > 0)) {
      throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the text is null or the tokens have no place to go");
    }
    const std::size_t length = std::strlen(text);
    if (length > INT_MAX) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the text is longer than 2 GiB");
    // Control tokens spelt in the text become control tokens: the templates of chat models depend on it.
    const int32_t count = llama_tokenize(VocabularyOf(model), text, static_cast<int32_t>(length), out_tokens,
                                         mesh::llama::Bounded(capacity), add_special, true);
    if (count == INT32_MIN) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the text has too many tokens");
    *out_count = static_cast<std::size_t>(count < 0 ? -count : count);
    if (count < 0) throw Failure(SKIPPY_STATUS_BUFFER_TOO_SMALL, "the buffer holds fewer tokens than the text has");
  });
}

extern "C" int32_t skippy_detokenize(skippy_model* model, const int32_t* tokens, size_t token_count, char* out_text,
                                     size_t capacity, size_t* out_bytes, skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    if (out_bytes == nullptr || (tokens == nullptr && token_count > 0) || (out_text == nullptr && capacity > 0)) {
      throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the tokens are null or the text has no place to go");
    }
    const llama_vocab* vocabulary = VocabularyOf(model);
    std::string text;
    for (std::size_t index = 0; index < token_count; ++index) {
      mesh::llama::RequireToken(vocabulary, tokens[index]);
      mesh::llama::AppendPiece(vocabulary, tokens[index], text);
    }
    *out_bytes = text.size();
    if (text.size() > capacity) {
      throw Failure(SKIPPY_STATUS_BUFFER_TOO_SMALL, "the buffer is smaller than the text of the tokens");
    }
    // Raw bytes and no C string; nothing is copied to a buffer that may be null because it is empty.
    if (!text.empty()) std::copy(text.begin(), text.end(), out_text);
  });
}

extern "C" int32_t skippy_token_is_eog(skippy_model* model, int32_t token, bool* out_is_eog,
                                       skippy_error** out_error) noexcept {
  return Guarded(out_error, [&] {
    if (out_is_eog == nullptr) throw Failure(SKIPPY_STATUS_INVALID_ARGUMENT, "the answer has no place to go");
    const llama_vocab* vocabulary = VocabularyOf(model);
    mesh::llama::RequireToken(vocabulary, token);
    *out_is_eog = llama_vocab_is_eog(vocabulary, token);
  });
}
