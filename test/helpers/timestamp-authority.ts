import { execFileSync } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DAY = 86_400_000

/** The form of a signer's certificate; by default for time stamps, valid for a year around now. */
export interface SignerForm {
  name?: string
  fromMs?: number
  toMs?: number
  /** The extended key usage in OpenSSL's syntax. */
  usage?: string
  key?: string
  /** The issuer, if it is not the root. */
  by?: Signer
  authority?: boolean
}

export interface Signer {
  name: string
  certificate: string
  key: string
}

export interface Stamped {
  /** The time in the stamp. */
  atMs?: number
  nonce?: Buffer
  signer?: Signer
  /** Omits the attribute that names the signer's certificate. */
  unnamed?: boolean
  /** More certificates in the response. */
  along?: readonly Signer[]
}

/**
 * A time-stamp authority made with the machine's `openssl`: a root, signers of any form, and stamps of any
 * time.
 */
export class TimestampAuthority {
  readonly folder = mkdtempSync(join(tmpdir(), 'callsheet-tsa-'))
  readonly root: Signer
  readonly signer: Signer

  constructor(name = 'Test root') {
    this.#write('any.cnf', CONFIG)
    this.#write('index.txt', '')
    this.root = this.#certify({ name, toMs: Date.now() + 30_000 * DAY, authority: true })
    this.signer = this.issue()
  }

  get rootFile(): string {
    return this.#path(`${this.root.name}.pem`)
  }

  issue(form: SignerForm = {}): Signer {
    return this.#certify({ by: this.root, ...form })
  }

  /** Returns another certificate with the same key, name, number and length, issued today. */
  twin({ name, certificate }: Signer): string {
    const { raw, serialNumber } = new X509Certificate(certificate)
    for (;;) {
      const twin = this.#openssl(
        ['x509', '-req', '-in', this.#path(`${name}.csr`), '-days', '1'],
        ['-CA', this.rootFile, '-CAkey', this.root.key, '-set_serial', `0x${serialNumber}`],
        ['-extfile', this.#path('extensions.cnf')],
      )
      if (new X509Certificate(twin).raw.length === raw.length) return twin
    }
  }

  /** Returns a complete response, signed over a digest. */
  stamp(
    sha256: Buffer,
    { signer = this.signer, along = [], unnamed = false, ...said }: Stamped = {},
  ): Buffer {
    this.#write('info.der', stampInfo(sha256, said))
    const certificates = along.map(({ certificate }) => certificate).join('')
    this.#write('along.pem', certificates)
    const more = certificates === '' ? [] : ['-certfile', this.#path('along.pem')]
    this.#openssl(
      'cms -sign -binary -nodetach -md sha256 -outform DER'.split(' '),
      unnamed ? [] : ['-cades'],
      ['-econtent_type', '1.2.840.113549.1.9.16.1.4', '-in', this.#path('info.der'), ...more],
      ['-signer', this.#path(`${signer.name}.pem`), '-inkey', this.#path(`${signer.name}.key`)],
      ['-out', this.#path('token.der')],
    )
    return granted(readFileSync(this.#path('token.der')))
  }

  /** Returns the answer of `openssl ts` itself to a request. */
  reply(request: Buffer): Buffer {
    this.#write('request.tsq', request)
    this.#write('ts-serial', '01')
    this.#openssl(
      ['ts', '-reply', '-config', this.#path('any.cnf'), '-section', 'tsa'],
      ['-queryfile', this.#path('request.tsq'), '-out', this.#path('reply.tsr')],
      ['-signer', this.#path(`${this.signer.name}.pem`)],
      ['-inkey', this.#path(`${this.signer.name}.key`), '-chain', this.rootFile],
    )
    return readFileSync(this.#path('reply.tsr'))
  }

  /** Returns the output of `openssl ts -verify` for a stamp, at the stamp's time. */
  openssl(response: Buffer, data: Buffer, atMs = Date.now()): string {
    this.#write('asked.tsr', response)
    this.#write('asked.data', data)
    const seconds = String(Math.floor(atMs / 1000))
    return this.#openssl(
      ['ts', '-verify', '-in', this.#path('asked.tsr'), '-data', this.#path('asked.data')],
      ['-CAfile', this.rootFile, '-attime', seconds],
    )
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #certify(form: SignerForm): Signer {
    const { fromMs = Date.now() - 180 * DAY, toMs = Date.now() + 180 * DAY, by } = form
    const name = form.name ?? `signer-${randomBytes(4).toString('hex')}`
    const { usage = 'critical,timeStamping', key = 'ec:P-256', authority = false } = form
    const [kind = 'ec', size = ''] = key.split(':')
    const option = kind === 'ec' ? `ec_paramgen_curve:${size}` : `rsa_keygen_bits:${size}`
    this.#openssl(
      ['req', '-new', '-newkey', kind, '-pkeyopt', option, '-nodes', '-subj', `/CN=${name}`],
      ['-config', this.#path('any.cnf'), '-keyout', this.#path(`${name}.key`)],
      ['-out', this.#path(`${name}.csr`)],
    )
    const basic = authority ? 'critical,CA:true' : 'CA:false'
    const purpose = authority ? '' : `extendedKeyUsage=${usage}\n`
    this.#write('extensions.cnf', `basicConstraints=${basic}\n${purpose}`)
    const issuer =
      by === undefined
        ? ['-selfsign', '-keyfile', this.#path(`${name}.key`)]
        : ['-cert', this.#path(`${by.name}.pem`), '-keyfile', this.#path(`${by.name}.key`)]
    this.#openssl(
      ['ca', '-batch', '-notext', '-config', this.#path('any.cnf'), '-rand_serial', ...issuer],
      ['-in', this.#path(`${name}.csr`), '-out', this.#path(`${name}.pem`)],
      ['-startdate', general(fromMs), '-enddate', general(toMs)],
      ['-extfile', this.#path('extensions.cnf')],
    )
    const certificate = readFileSync(this.#path(`${name}.pem`), 'utf8')
    return { name, certificate, key: this.#path(`${name}.key`) }
  }

  #path(name: string): string {
    return join(this.folder, name)
  }

  #write(name: string, content: string | Buffer): void {
    writeFileSync(this.#path(name), content)
  }

  #openssl(...groups: readonly (readonly string[])[]): string {
    const words = groups.flat()
    return execFileSync('openssl', words, { cwd: this.folder, encoding: 'utf8', stdio: 'pipe' })
  }
}

/** Wraps a token in a granted response. */
export function granted(token: Buffer): Buffer {
  return tlv(0x30, Buffer.from('3003020100', 'hex'), token)
}

/** A TSTInfo: the signed content of a stamp. */
export function stampInfo(sha256: Buffer, { atMs = Date.now(), nonce }: Stamped = {}): Buffer {
  return tlv(
    0x30,
    Buffer.from('02010106042a030401', 'hex'),
    tlv(0x30, Buffer.from('300d06096086480165030402010500', 'hex'), tlv(0x04, sha256)),
    tlv(0x02, Buffer.from([7])),
    tlv(0x18, Buffer.from(general(atMs))),
    nonce === undefined ? Buffer.alloc(0) : tlv(0x02, nonce),
  )
}

function general(ms: number): string {
  return `${new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`
}

function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts)
  const { length } = value
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), value])
}

const CONFIG = `[req]
distinguished_name = name
[name]
[ca]
default_ca = own
[own]
new_certs_dir = .
database = index.txt
serial = ca-serial
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[tsa]
serial = ts-serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`
