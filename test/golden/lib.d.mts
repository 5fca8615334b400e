export interface RecordedStep {
  /** Milliseconds that kube-apiserver needed to learn of the steps before. */
  readonly sleep?: number;
  readonly method?: string;
  readonly path?: string;
  readonly expect?: RecordedAnswer;
}

/** A normalised response. `type` is absent for JSON. */
export interface RecordedAnswer {
  readonly status: number;
  readonly type?: string;
  readonly warnings?: readonly string[];
  readonly body: unknown;
}

export interface RecordedCase {
  readonly id: string;
  /** Paths that are deleted at the end. */
  readonly cleanup?: readonly string[];
  readonly steps: readonly RecordedStep[];
}

export class Client {
  constructor(options: { readonly server: string; readonly cert: string; readonly key: string });
  close(): void;
}

export function runCase(
  client: Client,
  scenario: RecordedCase,
  namespace: string,
  each: (step: RecordedStep, index: number, answer: RecordedAnswer) => void,
): Promise<void>;
