import { createHash } from "node:crypto";
import { lstatSync, readlinkSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SetUpError } from "./error.mjs";

/** node-gyp writes the folder of the headers into a makefile as it is: a blank ends it there. */
const SAFE_IN_A_MAKEFILE = /^[\w@%+,./-]+$/;

/**
 * The folder of the headers under a name that node-gyp can use: itself, or a link to it in the temporary folder where its
 * own name holds a blank or another character that a makefile reads as something else.
 *
 * @param {string} directory
 * @param {string} temporary
 * @returns {string}
 */
export function headersFolder(directory, temporary = tmpdir()) {
  if (SAFE_IN_A_MAKEFILE.test(directory)) return directory;
  const digest = createHash("sha256").update(directory).digest("hex").slice(0, 16);
  const link = path.join(temporary, `mesh-node-${digest}`);
  try {
    symlinkSync(directory, link);
  } catch (cause) {
    // Compilers will trust what is behind this name, and everybody can make a file in the temporary folder.
    if (!isOwnLink(link, directory)) {
      throw new SetUpError(
        `${link} should be a link of yours to ${directory} and is not; remove it and run the command again`,
        { cause },
      );
    }
  }
  return link;
}

/** @param {string} link @param {string} directory */
function isOwnLink(link, directory) {
  const status = lstatSync(link, { throwIfNoEntry: false });
  if (status === undefined || !status.isSymbolicLink()) return false;
  return status.uid === process.getuid?.() && readlinkSync(link) === directory;
}
