import type { Access } from '../access.js';
import { idText, type PeerStatus, statusOf } from '../peers.js';
import { sizeText, table } from '../table.js';
import { type Command, show } from './command.js';

interface Row {
  readonly endpoint: string;
  readonly status: PeerStatus | undefined;
  readonly health: string;
}

/** The exit code is 0 if every peer responds and is healthy. */
export const status: Command = {
  name: 'status',
  takes: '',
  help: 'Shows role, term, indexes, sizes and health of every peer.',
  words: 0,
  run: async (context) => {
    const rows = await statusRows(context.access());
    const applied = Math.max(0, ...rows.map((r) => r.status?.commit ?? 0));
    const found = rows.map(({ endpoint, status, health }) => ({
      endpoint,
      health,
      ...(status === undefined ? {} : { ...status, lag: applied - status.applied }),
    }));
    show(context, found, () => statusTable(rows, applied));
    return rows.every((r) => r.health === 'ok') ? 0 : 1;
  },
};

async function statusRows(access: Access): Promise<readonly Row[]> {
  return Promise.all(
    access.endpoints.map(async (endpoint): Promise<Row> => {
      try {
        const status = await statusOf(access, endpoint);
        const health = status.problem ?? (status.leader === 0 ? 'no leader' : 'ok');
        return { endpoint, status, health };
      } catch (error) {
        return { endpoint, status: undefined, health: (error as Error).message.replace(`${endpoint}: `, '') };
      }
    }),
  );
}

const HEADINGS = [
  'ENDPOINT',
  'PEER',
  'ID',
  'ROLE',
  'TERM',
  'INDEX',
  'APPLIED',
  'LAG',
  'DB',
  'IN USE',
  'VERSION',
  'HEALTH',
];

function statusTable(rows: readonly Row[], newest: number): string {
  return table(
    HEADINGS,
    rows.map(({ endpoint, status: s, health }) =>
      s === undefined
        ? [endpoint, ...HEADINGS.slice(2).map(() => '-'), health]
        : [
            endpoint,
            s.name,
            idText(s.id),
            s.role,
            String(s.term),
            String(s.lastIndex),
            String(s.applied),
            String(newest - s.applied),
            sizeText(s.sizeBytes),
            sizeText(s.sizeInUseBytes),
            s.version,
            health,
          ],
    ),
  );
}
