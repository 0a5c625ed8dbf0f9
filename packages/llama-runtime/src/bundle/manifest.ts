import { createHash } from "node:crypto";
import { z } from "zod";
import { LlamaRuntimeError } from "../error.ts";
import { BUNDLE_FILES_MAX } from "./limits.ts";
import { isSafeRelativePath } from "./relative-path.ts";

/** Name of the manifest in the root of a bundle. It lists every other file and so cannot list itself. */
export const MANIFEST_NAME = "manifest.json";

/** A manifest after every rule was checked, in memory spelling. */
export interface RuntimeManifest {
  readonly id: string;
  readonly releaseVersion: string;
  readonly skippyAbi: string;
  readonly platform: { readonly os: string; readonly arch: string; readonly target: string | undefined };
  readonly backend: string;
  /** Relative paths in load order, the primary library last. */
  readonly libraries: readonly string[];
  /** Digest (64 lower-case hexadecimal digits) of every file, tools included, by relative path. */
  readonly digests: ReadonlyMap<string, string>;
  /** sha256 of the manifest's own bytes: the identity of the bundle. */
  readonly manifestDigest: string;
}

const text = z.string().min(1).max(256);
const segment = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/u, "is not a single safe path segment");
const number = "(?:0|[1-9][0-9]{0,8})";
const abi = z.string().regex(new RegExp(`^${number}\\.${number}\\.${number}$`, "u"), "is not of the form 0.1.54");
const relativePath = z.string().refine(isSafeRelativePath, "is not a safe relative path");
const digest = z
  .string()
  .regex(/^(?:sha256:)?[0-9a-f]{64}$/iu, "is not a sha256 of 64 hexadecimal digits")
  .transform((value) => value.slice(-64).toLowerCase());
const digests = z.record(relativePath, digest);

const schema = z.object({
  schema_version: z.literal(2),
  runtime: z.object({
    id: segment,
    release_version: text.default("unknown"),
    skippy_abi: abi,
    platform: z.object({ os: text, arch: text, target: text.optional() }),
    backend: z.object({ kind: text }),
    rank: z.int().default(0),
    libraries: z.array(relativePath).min(1).max(BUNDLE_FILES_MAX),
    files: digests,
    tools: digests.default({}),
    // Nobody here can check one. To accept it unchecked would be to claim that somebody had.
    signature: z.undefined("signatures are not supported").optional(),
  }),
});

type Wire = z.infer<typeof schema>["runtime"];

/**
 * Parses the bytes of a manifest. They are attacker-controlled: whoever can write into a cache or ship a bundle chooses
 * them.
 *
 * @throws LlamaRuntimeError `BUNDLE_MANIFEST_INVALID`, naming every broken rule.
 */
export function parseManifest(bytes: Uint8Array, path: string): RuntimeManifest {
  const parsed = schema.safeParse(parseJson(bytes, path));
  if (!parsed.success) {
    const rules = parsed.error.issues.map((issue) => `${issue.path.join(".") || "manifest"}: ${issue.message}`);
    throw invalid(path, rules.slice(0, 8).join("; "));
  }
  const { runtime } = parsed.data;
  const all = new Map([...Object.entries(runtime.files), ...Object.entries(runtime.tools)]);
  const broken = brokenRule(runtime, all);
  if (broken !== undefined) throw invalid(path, broken);
  return {
    id: runtime.id,
    releaseVersion: runtime.release_version,
    skippyAbi: runtime.skippy_abi,
    platform: { os: runtime.platform.os, arch: runtime.platform.arch, target: runtime.platform.target },
    backend: runtime.backend.kind,
    libraries: runtime.libraries,
    digests: all,
    manifestDigest: createHash("sha256").update(bytes).digest("hex"),
  };
}

function parseJson(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), keepSpelling);
  } catch (cause) {
    throw invalid(path, "it is not JSON in UTF-8", cause);
  }
}

/** A number that is not spelled as an integer stays a text, so that no rule for integers accepts 2.0 or 2e0. */
function keepSpelling(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" && !/^-?\d+$/u.test(context?.source ?? "") ? context?.source : value;
}

/** The rules that look at several fields at once. */
function brokenRule(runtime: Wire, all: ReadonlyMap<string, string>): string | undefined {
  const files = Object.keys(runtime.files);
  if (files.length === 0) return "runtime.files is empty";
  if (all.size > BUNDLE_FILES_MAX) return `it lists more than ${BUNDLE_FILES_MAX} files`;
  if (all.size !== files.length + Object.keys(runtime.tools).length) return "a path is both in files and in tools";
  if (all.has(MANIFEST_NAME)) return `${MANIFEST_NAME} lists itself`;
  if (new Set(runtime.libraries).size !== runtime.libraries.length) return "a library is listed twice";
  const withoutDigest = runtime.libraries.find((library) => !Object.hasOwn(runtime.files, library));
  if (withoutDigest !== undefined) return `the library ${withoutDigest} has no digest in runtime.files`;
  return undefined;
}

function invalid(path: string, reason: string, cause?: unknown): LlamaRuntimeError {
  return new LlamaRuntimeError({
    code: "BUNDLE_MANIFEST_INVALID",
    message: `The bundle manifest ${path} is refused: ${reason}. Expected a manifest of schema version 2.`,
    path,
    cause,
  });
}
