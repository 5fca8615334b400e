export function recordedPaths(prefix: string): string[];
export function recordedText(path: string): string;
