/** Longest material an engine plans for, in bytes of UTF-8 (design D12). */
export const MATERIAL_BYTES_MAX = 1_048_576;
/** Longest capability id, in characters (spec 2.2). */
export const CAPABILITY_ID_CHARACTERS_MAX = 128;
/** Life of an install action from the event that issued it, in milliseconds (spec 3, HostAction). */
export const ACTION_LIFE_MS = 3_600_000;
/** Life of a consent request from the event that asked for it, in milliseconds. */
export const CONSENT_LIFE_MS = 3_600_000;
/** Most reason codes of one selection (spec 14). */
export const REASON_CODES_MAX = 16;
/** Most matching signals of one selection (spec 14). */
export const MATCHING_SIGNALS_MAX = 32;
/** Longest free text of an operator or a scope member, in UTF-16 units. */
export const TEXT_CHARACTERS_MAX = 1024;
/** Most selections that wait for consent in one stream. */
export const SELECTIONS_WAITING_MAX = 100;
/** Most attempts to settle, and to read a snapshot that does not move, before contention is reported (spec 14). */
export const CONTENTION_ATTEMPTS_MAX = 3;
/** Longest wait for the per-action lock, and for a write lock of the journal, in milliseconds (spec 14, D8). */
export const LOCK_WAIT_MS_MAX = 30_000;
/** Deepest nesting the canonical encoder follows. */
export const CANONICAL_DEPTH_MAX = 64;
/** Most parsed states that one engine keeps in memory. */
export const STATE_CACHE_ENTRIES_MAX = 64;
/** Most streams of which one engine remembers what it saw last. */
export const KNOWN_VIEWS_MAX = 64;
/** Claims that recovery reads in one page. */
export const RECOVERY_PAGE_CLAIMS = 100;
/** Most claims that one recovery looks at unless it is told another number. */
export const RECOVERY_CLAIMS_MAX = 10_000;
/** Most unresolved actions that are listed at once. */
export const UNRESOLVED_ACTIONS_MAX = 10_000;
/** Streams that a listing reads in one page. */
export const STREAM_PAGE_STREAMS = 100;

/** Canonical texts whose values are kept: those of the few actions that are under way, each of some kilobytes. */
export const PARSED_TEXTS_MAX = 64;
