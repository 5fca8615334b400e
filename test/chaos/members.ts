const MEMBER_TIME = 60_000;

/** Resolves when `is` holds; an error counts as no. Rejects with `what` after a minute. */
export async function untilMember(what: string, is: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + MEMBER_TIME;
  while (!(await is().catch(() => false))) {
    if (performance.now() > end) throw new Error(what);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
