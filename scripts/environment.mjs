// What the server's process is started with here (`make run` says the same in the Makefile); an operator's own value wins.
//
// glibc raises the sizes from which it maps memory and gives it back, up to 32 MB, each time something large is freed. After a load
// some 25 MB stay with it that nobody uses. A threshold that is set is kept. It has to be there when the process begins.
export const serverEnvironment = { MALLOC_TRIM_THRESHOLD_: String(1024 * 1024), ...process.env };
