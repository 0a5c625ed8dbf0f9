import { binding } from "./binding.ts";
import { type FileStatus, statDescriptor, statName } from "./file-status.ts";
import { Handle, succeed } from "./handle.ts";
import { joinPath, splitPath } from "./name.ts";

/** One component of a path, from "/" on. */
export interface ComponentStatus {
  readonly path: string;
  /** Undefined where there is nothing of that name. */
  readonly status: FileStatus | undefined;
}

/**
 * Looks at every component of an absolute path, from "/" to the last, without following a symbolic link: what a caller
 * needs to decide whether it trusts the way to a directory. Stops after the first component that is not a directory, so
 * the last element says where the way ends.
 *
 * @throws FfiError `INVALID_PATH`; FileSystemError.
 */
export function statComponents(path: string): readonly ComponentStatus[] {
  const components = splitPath(path);
  let directory = new Handle(succeed(binding().openRoot(), "/"), "/");
  const found: ComponentStatus[] = [{ path: "/", status: statDescriptor(directory.descriptor, "/") }];
  try {
    for (const [index, name] of components.entries()) {
      const componentPath = joinPath(directory.path, name);
      const status = statName(directory.descriptor, directory.path, name);
      found.push({ path: componentPath, status });
      if (status?.kind !== "directory" || index === components.length - 1) break;
      const next = succeed(binding().openDirectory(directory.descriptor, name, false), componentPath);
      directory.close();
      directory = new Handle(next, componentPath);
    }
  } finally {
    directory.close();
  }
  return found;
}
