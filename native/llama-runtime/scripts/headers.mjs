import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dependencyDirectory } from "./packages.mjs";

/** The release whose libraries this runtime is linked with. The headers must be of exactly this one. */
export const LLAMA_RELEASE = "v0.4.0";

/** All that is taken out of the source bundle: public headers and the licence text. */
const EXTRACTED = ["include", "ggml/include", "LICENSE"];

/**
 * Puts the public headers of the pinned llama.cpp release into `<buildDirectory>/llama.cpp-<release>` and returns that
 * folder. They come from the git bundle inside the locked package node-llama-cpp, so the lockfile's integrity covers
 * them and nothing is downloaded. The folder appears by one rename: an interrupted extraction leaves no half of it.
 */
export function extractHeaders(buildDirectory) {
  const target = join(buildDirectory, `llama.cpp-${LLAMA_RELEASE}`);
  if (existsSync(target)) return target;

  const source = join(dependencyDirectory("node-llama-cpp"), "llama");
  const { tag } = JSON.parse(readFileSync(join(source, "llama.cpp.info.json"), "utf8"));
  if (tag !== LLAMA_RELEASE) {
    throw new Error(
      `node-llama-cpp holds the source of llama.cpp ${tag}, but this runtime is written for ${LLAMA_RELEASE}. ` +
        "Pin node-llama-cpp and @node-llama-cpp/* to the version that belongs to that release.",
    );
  }

  mkdirSync(buildDirectory, { recursive: true });
  const stage = mkdtempSync(join(buildDirectory, "headers-"));
  try {
    checkOut(join(source, "gitRelease.bundle"), stage, join(stage, "tree"));
    renameSync(join(stage, "tree"), target);
  } catch (cause) {
    // Another build was faster: its folder is as good as ours.
    if (!existsSync(target)) throw cause;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  return target;
}

function checkOut(bundle, stage, tree) {
  const repository = join(stage, "repository.git");
  mkdirSync(tree);
  const git = (environment, ...words) =>
    execFileSync("git", words, { env: { ...withoutGit(), ...environment }, stdio: ["ignore", "ignore", "inherit"] });
  git({}, "clone", "--quiet", "--bare", bundle, repository);
  git(
    { GIT_DIR: repository, GIT_INDEX_FILE: join(stage, "index") },
    ...["--work-tree", tree, "checkout", "--quiet", "HEAD", "--", ...EXTRACTED],
  );
}

/** A build that is started by a git hook inherits variables that would point git at the wrong repository. */
function withoutGit() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
}
