/** The CPU time of this process. Unlike the time of day it hardly depends on what else the machine does. */
export function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
