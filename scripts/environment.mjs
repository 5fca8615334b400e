// The environment of the server process (`make run` sets the same in the Makefile); a value set by the operator takes precedence.
//
// glibc raises its mmap and trim thresholds, up to 32 MB, each time a large block is freed. After a peak of load it then keeps about
// 25 MB of unused memory. A threshold that is set explicitly stays constant. It must be set before the process starts.
//
// Blocks from the mmap threshold on are returned to the system when they are freed. Smaller ones come from arenas, which return memory at
// their end only: after writes of a thousand objects of 100 KB, arenas with the default of 128 KB keep some 100 MB of free blocks.
//
// V8 collects garbage and compiles on four threads beside the main thread, whatever the machine has. Their handing over of work costs a
// tenth of the server's CPU time; one thread beside the main thread takes none of that, and a whole cluster came up no later with it.
//
// The server runs through much code and memory for each request. On pages of 2 MB it needs fewer translations of addresses, which in a
// virtual machine are slow: Node copies its own code to large pages at start (24 MB), and glibc asks for them for its arenas.
const NODE_FLAGS = '--v8-pool-size=1 --use-largepages=silent';

export const serverEnvironment = {
  NODE_OPTIONS: NODE_FLAGS,
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  MALLOC_TRIM_THRESHOLD_: String(1024 * 1024),
  MALLOC_MMAP_THRESHOLD_: String(64 * 1024),
  ...process.env,
};
