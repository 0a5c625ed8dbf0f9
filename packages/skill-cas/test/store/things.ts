import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import type { ConflictCode } from "../../src/reason.ts";

/** Something that does not belong at a name of the store. */
export interface Thing {
  /** What it is, as a test says it. */
  readonly what: string;
  /** What an object or stage of that name is refused with. */
  readonly code: ConflictCode;
  /** Puts it at a path; `outside` is a private file with the right bytes, elsewhere on the same file system. */
  readonly place: (path: string, outside: string) => void;
}

/** What any user can put somewhere. `body` is what the content's bytes are. */
export function thingsOf(body: Uint8Array): readonly Thing[] {
  const withMode = (mode: number): Thing["place"] => {
    return (path) => {
      writeFileSync(path, body);
      chmodSync(path, mode);
    };
  };
  return [
    { what: "a symbolic link to the right bytes", code: "not-a-regular-file", place: linkSymbolically },
    {
      what: "a symbolic link that leads nowhere",
      code: "not-a-regular-file",
      place: (path, outside) => {
        linkSymbolically(path, `${outside}-that-is-not-there`);
      },
    },
    {
      what: "a hard link to the right bytes",
      code: "unexpected-links",
      place: (path, outside) => {
        linkSync(outside, path);
      },
    },
    {
      what: "a FIFO without a peer",
      code: "not-a-regular-file",
      place: (path) => {
        execFileSync("mkfifo", ["-m", "600", path]);
      },
    },
    { what: "a socket", code: "not-a-regular-file", place: placeSocket },
    {
      what: "a directory",
      code: "not-a-regular-file",
      place: (path) => {
        mkdirSync(path, { mode: 0o700 });
      },
    },
    { what: "a file that others may read", code: "wrong-mode", place: withMode(0o644) },
    { what: "a set-uid file", code: "wrong-mode", place: withMode(0o4600) },
    { what: "a file that may be run", code: "wrong-mode", place: withMode(0o700) },
  ];
}

function linkSymbolically(path: string, target: string): void {
  symlinkSync(target, path);
}

/** The names of the store are too long for the address of a socket, so it is made elsewhere and moved. */
function placeSocket(path: string, outside: string): void {
  const made = `${outside}-s`;
  const program = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])";
  execFileSync("python3", ["-I", "-c", program, made]);
  chmodSync(made, 0o600);
  renameSync(made, path);
}
