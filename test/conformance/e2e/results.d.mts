export interface Outcome {
  readonly state: 'passed' | 'failed' | 'not applicable' | 'not run';
  readonly reason?: string;
}
export type Recorded = Readonly<Record<string, Readonly<Partial<Record<'trireme' | 'kube-apiserver', Outcome>>>>>;

export function reasonOf(name: string): string | undefined;
export function optionMissing(name: string, options: Readonly<Record<string, unknown>>): string | undefined;
export function judged(
  server: string,
  outcomes: ReadonlyMap<string, Outcome>,
  before?: Recorded,
): ReadonlyMap<string, Outcome>;
