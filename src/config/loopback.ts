/** Whether a host is this machine, so that requests to it cross no network. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase())
}

const LOOPBACK = /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/
