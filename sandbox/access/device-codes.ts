import { hash } from '../base/random.ts'
import { SandboxRefusal } from '../protocol/refusal.ts'
import type { Credentials } from '../seed-data/options.ts'
import { grantRefusal, type Login, secrets } from './logins.ts'

/** A device that is waiting for permission. */
export interface Device {
  app: Credentials
  userCode: string
  expiresMs: number
  intervalMs: number
  askedMs: number
  state: 'pending' | 'allowed' | 'denied' | 'used'
}

/** The device codes of the authorization server. Errors use OAuth's own codes. */
export interface Devices {
  newDevice(app: Credentials): { deviceCode: string; device: Device }
  deviceOf(userCode: string): Device | undefined
  takeDevice(deviceCode: string, app: Credentials): Login
}

export function makeDevices(options: { seed: number; intervalMs: number; now(): number }): Devices {
  const { seed, intervalMs, now } = options
  const devices = new Map<string, Device>()
  const secret = secrets(seed)
  return {
    newDevice(app) {
      const deviceCode = secret('device')
      const letters = hash(seed, 0xde71, devices.size).toString(36).toUpperCase().padStart(8, 'X')
      const userCode = `${letters.slice(0, 4)}-${letters.slice(4, 8)}`
      const times = { expiresMs: now() + DEVICE_MS, intervalMs, askedMs: now() }
      const device: Device = { app, userCode, ...times, state: 'pending' }
      devices.set(deviceCode, device)
      return { deviceCode, device }
    },
    deviceOf: (userCode) =>
      [...devices.values()].find(
        (device) => device.userCode === userCode && now() < device.expiresMs,
      ),
    takeDevice(deviceCode, app) {
      const device = devices.get(deviceCode)
      if (device?.app !== app || device.state === 'used') throw grantRefusal('unknown device code')
      if (now() >= device.expiresMs) throw refusal('expired_token')
      const early = now() - device.askedMs < device.intervalMs - TOLERANCE_MS
      device.askedMs = now()
      if (early) {
        device.intervalMs += 5_000
        throw refusal('slow_down')
      }
      if (device.state === 'pending') throw refusal('authorization_pending')
      if (device.state === 'denied') throw refusal('access_denied')
      device.state = 'used'
      return { app, ended: false }
    },
  }
}

/** Makes a refusal without a reason, because the OAuth errors for devices have none. */
function refusal(error: string): SandboxRefusal {
  return new SandboxRefusal(400, { error })
}

const DEVICE_MS = 900_000
/** Allows for clocks of two processes that differ slightly. */
const TOLERANCE_MS = 250
