import type { AdmissionOperation } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { NoopComparison } from '../patch/index.js';
import {
  type Family,
  type HistogramCell,
  HistogramFamily,
  type SummaryCell,
  SummaryFamily,
} from '../telemetry/index.js';
import { AllocationMetrics } from './allocationmetrics.js';
import { ListMetrics } from './listmetrics.js';

/** Whether steps mutate or validate, as the label of the metrics. */
export type AdmissionPhase = 'admit' | 'validate';

const OPERATIONS = ['create', 'update', 'delete', 'connect'] as const satisfies readonly AdmissionOperation[];
const PHASE_LABELS = ['type', 'operation', 'rejected'];
/** Seconds. */
const ADMISSION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const CEL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMPARISON_BUCKETS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5];

/** The series of one step by operation and result. They are made at their first observation. */
export interface StepSeries {
  readonly name: string;
  readonly phase: AdmissionPhase;
  /** The operations that the plug-in handles. */
  readonly operations: readonly AdmissionOperation[];
  readonly cells: (HistogramCell | undefined)[];
}

/**
 * The metrics of writes and lists that kube-apiserver has: the durations of admission and of the comparison of old and new objects, the
 * objects that lists read, allocations for services.
 */
export class RegistryMetrics {
  readonly #controllers = new HistogramFamily(
    {
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
      onlyClassic: true,
    },
    ['name', ...PHASE_LABELS],
    ADMISSION_BUCKETS,
  );
  readonly #phases = new HistogramFamily(
    {
      name: 'apiserver_admission_step_admission_duration_seconds',
      help: 'Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).',
      onlyClassic: true,
    },
    PHASE_LABELS,
    ADMISSION_BUCKETS,
  );
  readonly #summaries: SummaryFamily;
  readonly #comparisons = new HistogramFamily(
    {
      name: 'apiserver_request_timestamp_comparison_time',
      help: 'Time taken for comparison of old vs new objects in UPDATE or PATCH requests',
    },
    ['code_path'],
    COMPARISON_BUCKETS,
  );
  readonly #compilations = new HistogramFamily(
    { name: 'apiserver_cel_compilation_duration_seconds', help: 'Seconds to compile the rules of a custom resource.' },
    [],
    CEL_BUCKETS,
  );
  readonly #evaluations = new HistogramFamily(
    {
      name: 'apiserver_cel_evaluation_duration_seconds',
      help: 'Seconds to evaluate the rules of a custom resource on an object.',
    },
    [],
    CEL_BUCKETS,
  );
  readonly #compilation = this.#compilations.at();
  readonly #evaluation = this.#evaluations.at();
  readonly lists = new ListMetrics();
  readonly allocations = new AllocationMetrics();
  readonly #phaseCells = { admit: phaseCells(), validate: phaseCells() };
  readonly #comparisonCells: Partial<Record<NoopComparison, HistogramCell>> = {};

  constructor({ monotonic }: Pick<Clock, 'monotonic'>) {
    this.#summaries = new SummaryFamily(
      {
        name: 'apiserver_admission_step_admission_duration_seconds_summary',
        help: 'Admission sub-step latency summary in seconds, broken out for each operation and API resource and step type (validate or admit).',
      },
      PHASE_LABELS,
      monotonic,
    );
  }

  get families(): readonly Family[] {
    return [
      this.#controllers,
      this.#phases,
      this.#summaries,
      this.#comparisons,
      this.#compilations,
      this.#evaluations,
      ...this.lists.families,
      ...this.allocations.families,
    ];
  }

  /** One step took `milliseconds`. Nothing is recorded for an operation that the plug-in does not handle. */
  stepped(series: StepSeries, operation: AdmissionOperation, rejected: boolean, milliseconds: number): void {
    if (!series.operations.includes(operation)) return;
    const index = indexOf(operation, rejected);
    let cell = series.cells[index];
    if (cell === undefined) {
      cell = this.#controllers.at(series.name, series.phase, operation.toUpperCase(), String(rejected));
      series.cells[index] = cell;
    }
    this.#controllers.observe(cell, milliseconds / 1000);
  }

  /** All steps of a phase together took from `began` to `ended`; both monotonic, in milliseconds. */
  ran(
    phase: AdmissionPhase,
    operation: AdmissionOperation,
    { rejected, began, ended }: { readonly rejected: boolean; readonly began: number; readonly ended: number },
  ): void {
    const cells = this.#phaseCells[phase];
    const index = indexOf(operation, rejected);
    let found = cells[index];
    if (found === undefined) {
      const labels = [phase, operation.toUpperCase(), String(rejected)];
      found = { durations: this.#phases.at(...labels), summary: this.#summaries.add(...labels) };
      cells[index] = found;
    }
    const seconds = (ended - began) / 1000;
    this.#phases.observe(found.durations, seconds);
    this.#summaries.observe(found.summary, seconds, ended);
  }

  rulesCompiled(milliseconds: number): void {
    this.#compilations.observe(this.#compilation, milliseconds / 1000);
  }

  rulesEvaluated(milliseconds: number): void {
    this.#evaluations.observe(this.#evaluation, milliseconds / 1000);
  }

  compared(outcome: NoopComparison, milliseconds: number): void {
    let cell = this.#comparisonCells[outcome];
    if (cell === undefined) {
      cell = this.#comparisons.at(outcome);
      this.#comparisonCells[outcome] = cell;
    }
    this.#comparisons.observe(cell, milliseconds / 1000);
  }
}

interface PhaseCells {
  readonly durations: HistogramCell;
  readonly summary: SummaryCell;
}

const phaseCells = (): (PhaseCells | undefined)[] => Array.from({ length: OPERATIONS.length * 2 });

const indexOf = (operation: AdmissionOperation, rejected: boolean): number =>
  OPERATIONS.indexOf(operation) * 2 + (rejected ? 1 : 0);

/** The series of the steps of one phase, in their order; undefined for a step that is not an admission plug-in. */
export function stepSeries(
  steps: readonly { readonly name: string; readonly operations?: readonly AdmissionOperation[] }[],
  phase: AdmissionPhase,
): readonly (StepSeries | undefined)[] {
  return steps.map(({ name, operations }) =>
    operations === undefined
      ? undefined
      : { name, phase, operations, cells: Array.from({ length: OPERATIONS.length * 2 }) },
  );
}
