import { MATERIAL_BYTES_MAX } from "../layout.ts";

/** Largest SKILL.md, in bytes. */
export const SKILL_BYTES_MAX: number = MATERIAL_BYTES_MAX;

/** Largest frontmatter, in UTF-16 units: everything the specification allows fits many times. */
export const FRONTMATTER_LENGTH_MAX = 65_536;

/** Longest name, in characters (Agent Skills specification, `name`). */
export const NAME_CHARACTERS_MAX = 64;

/** Longest description, in code points (Agent Skills specification, `description`). */
export const DESCRIPTION_CODE_POINTS_MAX = 1024;

/** Longest description, in UTF-8 bytes (the strict profile: an upload counts bytes). */
export const DESCRIPTION_BYTES_MAX = 4096;

/** Longest compatibility note, in code points (Agent Skills specification, `compatibility`). */
export const COMPATIBILITY_CODE_POINTS_MAX = 500;

/** Most entries of `metadata`, and the longest license or metadata text in code points: ours, because none is given. */
export const METADATA_ENTRIES_MAX = 64;

/** Longest license, tool list, metadata key or metadata value, in code points: ours, because none is given. */
export const TEXT_CODE_POINTS_MAX = 1024;

/** Guidance of the specification: a longer body should be split into references. Warned of, not refused. */
export const BODY_LINES_GUIDE = 500;

/** Guidance of the specification, at about four characters a token. Warned of, not refused. */
export const BODY_TOKENS_GUIDE = 5000;

/** What Claude Code shows of a description in its listing, in characters. Warned of, not refused. */
export const LISTING_CHARACTERS_GUIDE = 250;
