import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { ConfigurationError } from '../core/errors.ts'
import { othersMay, verbsOf } from '../core/others-may.ts'
import { MOST_SECRET_BYTES, readSmallFile, whyNotRead } from '../core/read-small-file.ts'

/** The place of a secret's reference and the context that resolves it; set once the file is known. */
export interface SecretPlace {
  /** The place, such as `config.yaml:12:5 (accounts[0].clientSecret)`. */
  at: string
  /** The folder from which relative `file:` paths start. */
  folder: string
  environment: Readonly<Record<string, string | undefined>>
}

/**
 * A secret that is read only when it is used, so that `status` needs no client secret. Printing, logging or
 * serializing it never reveals the value.
 */
export class Secret {
  readonly #reference: string
  #place: SecretPlace | undefined
  constructor(reference: string) {
    this.#reference = reference
  }

  /** Whether the configuration file contains the value itself. */
  get inline(): boolean {
    return !/^(env|file):/.test(this.#reference)
  }

  settle(place: SecretPlace): void {
    this.#place = place
  }

  reveal(): string {
    if (this.inline) return this.#reference
    const value = this.#isFile() ? this.#fromFile() : this.#fromEnvironment()
    if (value === '') throw this.#missing(`${this.#source()} is empty`)
    return value
  }

  /** Returns a warning about an inline secret, or about a file that others may read or write. */
  advice(): string | undefined {
    if (this.inline && NO_PASSWORD.test(this.#reference)) return undefined
    if (this.inline)
      return `${this.#at()}: the configuration contains a secret; use env:NAME or file:path instead`
    const may = this.#isFile() ? othersMay(this.#path()) : undefined
    return may === undefined || !(may.read || may.write)
      ? undefined
      : `${this.#at()}: other users can ${verbsOf(may)} the file with this secret; run chmod 600 on it`
  }

  toString(): string {
    return '[secret]'
  }
  toJSON(): string {
    return '[secret]'
  }
  [inspect.custom](): string {
    return '[secret]'
  }

  #fromEnvironment(): string {
    const value = this.#place?.environment[this.#reference.slice('env:'.length)]
    if (value === undefined) throw this.#missing(`${this.#source()} is not set`)
    return value.trim()
  }

  #fromFile(): string {
    try {
      return readSmallFile(this.#path(), MOST_SECRET_BYTES).toString('utf8').trim()
    } catch (error) {
      throw this.#missing(`${this.#source()} cannot be read: ${whyNotRead(error)}`)
    }
  }

  #isFile(): boolean {
    return this.#reference.startsWith('file:')
  }

  #path(): string {
    return resolve(this.#place?.folder ?? '.', this.#reference.slice('file:'.length))
  }

  #source(): string {
    const name = this.#reference.slice('env:'.length)
    return this.#isFile() ? `the file ${this.#path()}` : `environment variable ${name}`
  }

  #at(): string {
    return this.#place?.at ?? 'configuration'
  }

  #missing(came: string): ConfigurationError {
    return new ConfigurationError('secret_unavailable', {
      tried: `Reading the secret of ${this.#at()}`,
      came,
      todo: this.#isFile()
        ? 'restore the file, readable by this user, or change the setting'
        : 'set the variable in the environment that starts Callsheet, or change the setting',
    })
  }
}

/** A database URL without a password, which is no secret. Any other URL may contain one, e.g. in its path. */
const NO_PASSWORD = /^postgres(?:ql)?:\/\/(?!.*password)(?:[^:@/?#]*@)?[^@]*$/i
