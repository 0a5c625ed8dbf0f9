/** What can go wrong in the runtime face. Part of {@link FfiErrorCode}. */
export type RuntimeErrorCode = "RUNTIME_OWNED_BY_ANOTHER_COPY";
