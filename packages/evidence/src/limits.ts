/** Longest line in UTF-8, its newline included. A longer value is cut, and says so. */
export const LINE_BYTES_MAX = 4096;

/** Most lines a file may have, the first and the facts of the run included. */
export const LINES_MAX = 2000;

/** Largest file a reader has to accept. */
export const FILE_BYTES_MAX = LINE_BYTES_MAX * LINES_MAX;

/** Longest name of a marker. */
export const NAME_BYTES_MAX = 64;
