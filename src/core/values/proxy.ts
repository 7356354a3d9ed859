/** The network proxy for outgoing connections. Its address may contain a password. */
export interface Proxy {
  address: string
  /** Hosts that are reached without the proxy, as `NO_PROXY` lists them. */
  except: string
}
