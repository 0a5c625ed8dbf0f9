/** Token types of a SentencePiece vocabulary in GGUF. */
const TYPE = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const CONSONANTS = "bdfgklmnprstvz";
const VOWELS = "aeiou";
const SYLLABLES = CONSONANTS.length * VOWELS.length;

/** Ids that the metadata names. */
export const TOKEN_IDS = { unknown: 0, beginning: 1, end: 2 } as const;

/** The parallel arrays of `tokenizer.ggml.*`. */
export interface Vocabulary {
  readonly tokens: readonly string[];
  readonly scores: readonly number[];
  readonly types: readonly number[];
}

/** Tokens of a vocabulary with so many word pieces: 3 control tokens, 256 bytes, the space mark, 26 letters, words. */
export function vocabularySize(words: number): number {
  return 3 + 256 + 1 + LETTERS.length + words;
}

/**
 * A SentencePiece vocabulary. All 256 byte tokens are there, because the tokenizer falls back to them for every
 * character it has no token for. The words only make what a random model says readable.
 */
export function vocabularyOf(words: number): Vocabulary {
  const tokens = ["<unk>", "<s>", "</s>"];
  const scores = [0, 0, 0];
  const types: number[] = [TYPE.unknown, TYPE.control, TYPE.control];
  const add = (token: string, score: number, type: number): void => {
    tokens.push(token);
    scores.push(score);
    types.push(type);
  };
  for (let byte = 0; byte < 256; byte += 1)
    add(`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`, 0, TYPE.byte);
  add("\u2581", -1, TYPE.normal);
  for (let index = 0; index < LETTERS.length; index += 1) add(LETTERS.charAt(index), -2 - index, TYPE.normal);
  for (let index = 0; index < words; index += 1) add(`\u2581${word(index)}`, -100 - index, TYPE.normal);
  return { tokens, scores, types };
}

/** The n-th pronounceable word: its number written with syllables as digits, at least two of them. */
function word(index: number): string {
  let rest = index;
  let text = "";
  do {
    const digit = rest % SYLLABLES;
    text += CONSONANTS.charAt(Math.floor(digit / VOWELS.length)) + VOWELS.charAt(digit % VOWELS.length);
    rest = Math.floor(rest / SYLLABLES);
  } while (rest > 0 || text.length < 4);
  return text;
}
