/**
 * Decides whether a history of operations on one object is linearizable, by the search of Wing and Gong (1993) with Lowe's cache
 * (2017). The search chooses among the operations that could be first, tries each, and backtracks. A set of chosen operations
 * that was seen before with the same state is not tried again. An operation with an unknown outcome has `returned: Infinity`: it
 * may take effect at any time after its call or never, so the search need not choose it.
 */
export interface Operation<Input, Output> {
  readonly input: Input;
  /** Undefined when the outcome is unknown. */
  readonly output: Output | undefined;
  /** Times of one monotonic clock. */
  readonly called: number;
  readonly returned: number;
}

export interface Model<State, Input, Output> {
  readonly initial: State;
  /** The state after the operation, or undefined when this result is impossible. */
  step(state: State, input: Input, output: Output | undefined): State | undefined;
  /** Equal states have equal keys. */
  key(state: State): string;
}

export type Verdict<Input, Output> =
  | { readonly kind: 'linearizable' }
  /** `stuck`: the operations that could not be placed after the longest valid prefix. */
  | { readonly kind: 'violation'; readonly stuck: readonly Operation<Input, Output>[] }
  /** The search gave up after `steps` steps without a result. */
  | { readonly kind: 'undecided'; readonly steps: number };

export function checkLinearizable<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
  stepsMax = 2_000_000,
): Verdict<Input, Output> {
  const ops = [...history].sort((a, b) => a.called - b.called);
  const done = new Uint8Array(ops.length);
  const mustReturn = ops.filter((o) => o.returned !== Number.POSITIVE_INFINITY).length;
  const tried = new Set<string>();
  const chosen: { readonly index: number; readonly state: State }[] = [];
  let state = model.initial;
  let placed = 0;
  let best = 0;
  let stuck: readonly Operation<Input, Output>[] = [];
  let from = 0;
  for (let steps = 0; steps < stepsMax; steps++) {
    if (placed === mustReturn) return { kind: 'linearizable' };
    const next = choose(from);
    if (next !== undefined) {
      chosen.push({ index: next.index, state });
      done[next.index] = 1;
      if (ops[next.index]!.returned !== Number.POSITIVE_INFINITY) placed++;
      state = next.state;
      from = 0;
      if (placed > best) best = placed;
      continue;
    }
    if (placed >= best) stuck = candidates().map((i) => ops[i]!);
    const last = chosen.pop();
    if (last === undefined) return { kind: 'violation', stuck };
    done[last.index] = 0;
    if (ops[last.index]!.returned !== Number.POSITIVE_INFINITY) placed--;
    state = last.state;
    from = last.index + 1;
  }
  return { kind: 'undecided', steps: stepsMax };

  /** The operations that could be next: no other remaining operation returned before they were called. */
  function candidates(): number[] {
    let firstReturn = Number.POSITIVE_INFINITY;
    for (let i = 0; i < ops.length; i++) if (!done[i] && ops[i]!.returned < firstReturn) firstReturn = ops[i]!.returned;
    const found: number[] = [];
    for (let i = 0; i < ops.length && ops[i]!.called <= firstReturn; i++) if (!done[i]) found.push(i);
    return found;
  }

  function choose(start: number): { readonly index: number; readonly state: State } | undefined {
    for (const index of candidates()) {
      if (index < start) continue;
      const op = ops[index]!;
      const after = model.step(state, op.input, op.output);
      if (after === undefined) continue;
      done[index] = 1;
      const key = `${setKey()}|${model.key(after)}`;
      done[index] = 0;
      if (tried.has(key)) continue;
      tried.add(key);
      return { index, state: after };
    }
    return undefined;
  }

  /** The chosen set as text: the operations before the first gap, then the others. */
  function setKey(): string {
    let gap = 0;
    while (gap < done.length && done[gap]) gap++;
    let text = String(gap);
    for (let i = gap + 1; i < done.length; i++) if (done[i]) text += `,${i}`;
    return text;
  }
}

/** An operation of a client on one object of the API. */
export type ObjectInput =
  | { readonly kind: 'create'; readonly value: string }
  /** `expected`: the resourceVersion that the update names. */
  | { readonly kind: 'update'; readonly value: string; readonly expected: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'get' };

export type ObjectOutput =
  | { readonly kind: 'ok'; readonly value: string; readonly version: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'notFound' }
  /** The name existed, or the resourceVersion was outdated. */
  | { readonly kind: 'conflict' };

/** `version` is '' after a write with an unknown outcome; the first read determines it. */
export type ObjectState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'present'; readonly value: string; readonly version: string };

const ABSENT: ObjectState = { kind: 'absent' };
const present = (value: string, version: string): ObjectState => ({ kind: 'present', value, version });

/**
 * One object of the API as a sequential object. An operation with an unknown outcome is only placed where it takes effect;
 * omitting it covers the other case.
 */
export const objectModel: Model<ObjectState, ObjectInput, ObjectOutput> = {
  initial: ABSENT,
  key: (s) => (s.kind === 'absent' ? '-' : `${s.value}@${s.version}`),
  step(state, input, output) {
    const is = state.kind === 'present' ? state : undefined;
    switch (input.kind) {
      case 'create':
        if (output?.kind === 'conflict') return is;
        if (is !== undefined || (output !== undefined && output.kind !== 'ok')) return undefined;
        return present(input.value, output?.version ?? '');
      case 'update': {
        const matches = is !== undefined && (is.version === input.expected || is.version === '');
        if (output === undefined || output.kind === 'ok')
          return matches ? present(input.value, output?.version ?? '') : undefined;
        if (output.kind === 'notFound') return is === undefined ? state : undefined;
        return is !== undefined && is.version !== input.expected ? state : undefined;
      }
      case 'delete':
        if (output?.kind === 'notFound') return is === undefined ? state : undefined;
        return is !== undefined && (output === undefined || output.kind === 'deleted') ? ABSENT : undefined;
      case 'get':
        if (output?.kind === 'notFound') return is === undefined ? state : undefined;
        if (output?.kind !== 'ok' || is === undefined || is.value !== output.value) return undefined;
        return is.version === '' || is.version === output.version ? present(is.value, output.version) : undefined;
    }
  },
};
