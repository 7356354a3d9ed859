/** The proxy of the network through which others are reached. Its address may contain a password. */
export interface Proxy {
  address: string
  /** Hosts that are reached without it, as `NO_PROXY` lists them. */
  except: string
}
