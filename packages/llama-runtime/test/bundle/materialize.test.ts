import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { embeddedBundleDirectory, embeddedBundleId } from "../../src/embedded.ts";
import { STAGE_AGE_MS_MAX } from "../../src/bundle/limits.ts";
import { materializeBundle } from "../../src/bundle/materialize.ts";
import { readBundle } from "../../src/bundle/read-bundle.ts";
import { failsWith } from "../support/fails-with.ts";
import { SMALL_FILES, writeSmallBundle } from "../support/small-bundle.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const CHILD = fileURLToPath(new URL("../support/materialize-child.ts", import.meta.url));

interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Materialises in another process. Node strips the types of the source itself. */
async function inChild(...words: string[]): Promise<Outcome> {
  return await new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--experimental-strip-types", CHILD, ...words],
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode, signal: child.signalCode, stdout, stderr });
      },
    );
  });
}

async function workplace(): Promise<{ source: string; cache: string }> {
  const root = await temporaryDirectory();
  return { source: await writeSmallBundle(join(root, "source")), cache: join(root, "cache") };
}

test("the copy is private, complete and verified, and a second call copies nothing", async () => {
  const { source, cache } = await workplace();
  const copied: string[] = [];
  const options = {
    cacheDirectory: cache,
    bundleDirectory: source,
    onProgress: ({ path }: { path: string }) => copied.push(path),
  };
  const bundle = await materializeBundle(options);
  expect(copied).toEqual(Object.keys(SMALL_FILES));
  expect(bundle.directory).toBe(join(cache, bundle.manifestDigest, "small-runtime"));
  expect((await stat(bundle.directory)).mode & 0o777).toBe(0o700);
  expect((await stat(bundle.libraries[0] ?? "")).mode & 0o777).toBe(0o600);
  await expect(materializeBundle(options)).resolves.toEqual(bundle);
  expect(copied).toHaveLength(Object.keys(SMALL_FILES).length);
});

test("eight calls at once in one process and three processes agree on one copy and leave no stage", async () => {
  const { source, cache } = await workplace();
  const here = Array.from({ length: 8 }, () => materializeBundle({ cacheDirectory: cache, bundleDirectory: source }));
  const [bundles, children] = await Promise.all([
    Promise.all(here),
    Promise.all(Array.from({ length: 3 }, () => inChild(source, cache))),
  ]);
  const directories = new Set([...bundles.map((bundle) => bundle.directory), ...children.map((child) => child.stdout)]);
  expect(children.map((child) => [child.code, child.stderr])).toEqual(children.map(() => [0, ""]));
  expect(directories.size).toBe(1);
  const [digest = ""] = await readdir(cache);
  expect(await readdir(join(cache, digest))).toEqual(["small-runtime"]);
});

test.each(Object.keys(SMALL_FILES).map((_, index) => String(index + 1)))(
  "a process killed after file %s leaves no bundle, and the next one makes it whole",
  async (dieAfter) => {
    const { source, cache } = await workplace();
    const child = await inChild(source, cache, dieAfter);
    expect(child.signal).toBe("SIGKILL");
    const [digest = ""] = await readdir(cache);
    const left = await readdir(join(cache, digest));
    expect(left).toHaveLength(1);
    expect(left[0]).toMatch(/^\.stage-/u);
    const bundle = await materializeBundle({ cacheDirectory: cache, bundleDirectory: source });
    expect(bundle.files).toHaveLength(Object.keys(SMALL_FILES).length);
  },
);

test("an abandoned stage is removed when it is old, and one that may be in use is not", async () => {
  const { source, cache } = await workplace();
  await inChild(source, cache, "1");
  const [digest = ""] = await readdir(cache);
  const [stage = ""] = await readdir(join(cache, digest));
  await materializeBundle({ cacheDirectory: cache, bundleDirectory: source });
  expect(await readdir(join(cache, digest))).toContain(stage);

  const old = new Date(Date.now() - STAGE_AGE_MS_MAX - 60_000);
  await utimes(join(cache, digest, stage), old, old);
  await rm(join(cache, digest, "small-runtime"), { recursive: true });
  await materializeBundle({ cacheDirectory: cache, bundleDirectory: source });
  expect(await readdir(join(cache, digest))).toEqual(["small-runtime"]);
});

test("a cache entry with one changed byte is an error and stays as it was found", async () => {
  const { source, cache } = await workplace();
  const options = { cacheDirectory: cache, bundleDirectory: source };
  const bundle = await materializeBundle(options);
  const library = bundle.libraries[1] ?? "";
  await writeFile(library, "another library");
  const error = await failsWith("BUNDLE_CORRUPT", materializeBundle(options));
  expect(error.path).toBe(library);
  expect(error.message).toContain("Remove");
  expect(await readFile(library, "utf8")).toBe("another library");
});

test("a source with one changed byte is never copied to the place of a bundle", async () => {
  const { source, cache } = await workplace();
  await writeFile(join(source, "lib/libprimary.so"), "another library");
  const error = await failsWith(
    "BUNDLE_CORRUPT",
    materializeBundle({ cacheDirectory: cache, bundleDirectory: source }),
  );
  expect(error.path).toBe(join(source, "lib/libprimary.so"));
  const [digest = ""] = await readdir(cache);
  expect(await readdir(join(cache, digest))).toEqual([]);
});

test("a cache directory that others can write to, or that is not absolute, is refused before anything is copied", async () => {
  const { source, cache } = await workplace();
  await mkdir(cache);
  await chmod(cache, 0o775);
  const error = await failsWith(
    "CACHE_DIRECTORY_UNSAFE",
    materializeBundle({ cacheDirectory: cache, bundleDirectory: source }),
  );
  expect(error.found).toContain("0775");
  expect(await readdir(cache)).toEqual([]);
  await failsWith("CACHE_DIRECTORY_UNSAFE", materializeBundle({ cacheDirectory: "cache", bundleDirectory: source }));
});

test.each(["002", "277"])("the umask %s changes neither the modes nor the outcome", async (umask) => {
  const { source, cache } = await workplace();
  const child = await inChild(source, cache, "", umask);
  expect(child.stderr).toBe("");
  const { directory } = await readBundle(child.stdout);
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect((await stat(cache)).mode & 0o777).toBe(0o700);
});

test("the embedded bundle of this platform is intact and names its licences", async () => {
  const bundle = await readBundle(embeddedBundleDirectory());
  expect(bundle.id).toBe(embeddedBundleId());
  expect(bundle.skippyAbi).toBe("0.1.54");
  expect(bundle.libraries.at(-1)).toMatch(/libmesh-llama-runtime\.so$/u);
  expect(bundle.licences).toHaveLength(3);
  for (const licence of bundle.licences) expect(await readFile(licence, "utf8")).toMatch(/license/iu);
});
