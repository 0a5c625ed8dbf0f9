import { binding, type NativeDescriptor } from "./binding.ts";
import { Handle, succeed } from "./handle.ts";

/** How many names one native call reads while a directory is listed. */
export const LISTING_PIECE_NAMES_MAX = 256;

/** One name of a directory. Names are bytes; one that is not UTF-8 has no `name` that could be used to open it. */
export type DirectoryEntry =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "not-utf8"; readonly bytes: Uint8Array };

/** What `list` found. */
export interface DirectoryListing {
  /** Attacker-controlled: whoever may write to the directory chose them. In no order. */
  readonly names: readonly string[];
  /** How many entries have a name that is not UTF-8; they count towards the limit. */
  readonly notUtf8Count: number;
  /** False where the limit was reached and at least one more entry is there. */
  readonly complete: boolean;
}

/** Reads a directory from its start, in pieces. `.` and `..` are left out. */
export function* readEntries(directory: NativeDescriptor, path: string): Generator<DirectoryEntry, void, undefined> {
  const listing = new Handle(succeed(binding().openListing(directory), path), path);
  try {
    for (;;) {
      const piece = succeed(binding().readListing(listing.descriptor, LISTING_PIECE_NAMES_MAX), path);
      if (piece.length === 0) return;
      for (const bytes of piece) yield decodeEntry(bytes);
    }
  } finally {
    listing.close();
  }
}

/** Reads at most `limit` entries. */
export function listEntries(directory: NativeDescriptor, path: string, limit: number): DirectoryListing {
  const names: string[] = [];
  let notUtf8Count = 0;
  for (const entry of readEntries(directory, path)) {
    if (names.length + notUtf8Count === limit) return { names, notUtf8Count, complete: false };
    if (entry.kind === "name") names.push(entry.name);
    else notUtf8Count += 1;
  }
  return { names, notUtf8Count, complete: true };
}

function decodeEntry(bytes: Buffer): DirectoryEntry {
  const name = bytes.toString("utf8");
  // A name that does not come back as the same bytes would name another entry, or none.
  return Buffer.from(name, "utf8").equals(bytes) ? { kind: "name", name } : { kind: "not-utf8", bytes };
}
