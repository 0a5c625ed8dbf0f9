import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LlamaRuntimeError } from "../error.ts";
import { BUNDLE_DIRECTORY_DEPTH_MAX, BUNDLE_FILES_MAX } from "./limits.ts";

/**
 * Every file below `root` as a relative path with POSIX separators. Whatever is neither file nor folder is refused, and
 * so is more than a bundle may hold: the walk has an end also where somebody else fills the folder.
 *
 * @throws LlamaRuntimeError `BUNDLE_CORRUPT`
 */
export async function listFiles(root: string): Promise<string[]> {
  const files: string[] = [];
  const folders: { path: string; depth: number }[] = [{ path: "", depth: 0 }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder.path), { withFileTypes: true })) {
      const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`;
      if (entry.isDirectory()) folders.push({ path, depth: folder.depth + 1 });
      else if (entry.isFile()) files.push(path);
      else throw refused(join(root, path), "neither a file nor a folder (a symlink or a special file)");
      if (files.length + folders.length > BUNDLE_FILES_MAX)
        throw refused(root, `more than ${BUNDLE_FILES_MAX} entries`);
    }
    if (folder.depth > BUNDLE_DIRECTORY_DEPTH_MAX) {
      throw refused(join(root, folder.path), `deeper than ${BUNDLE_DIRECTORY_DEPTH_MAX} folders`);
    }
  }
  return files.sort();
}

function refused(path: string, found: string): LlamaRuntimeError {
  return new LlamaRuntimeError({
    code: "BUNDLE_CORRUPT",
    message: `${path} is ${found}: expected the files of the bundle's manifest and nothing else.`,
    path,
    expected: "the files of the manifest",
    found,
  });
}
