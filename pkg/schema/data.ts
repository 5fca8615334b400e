import { readFileSync } from 'node:fs';

/** The text of a file of `data/`. It stands here, beside that folder: in the bundle all code stands beside it. */
export const readData = (file: string): string => readFileSync(new URL(`./data/${file}`, import.meta.url), 'utf8');
