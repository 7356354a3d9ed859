import type { Figure, Table } from './figures.ts'

export interface PartOptions {
  /** How many rows `--rows` asks for; each part has numbers of its own otherwise. */
  rows: number | undefined
  /** The only list that `--source` asks for. */
  source: string | undefined
  /** How many gigabytes of files `--gb` asks for. */
  gigabytes: number | undefined
  /** What is drawn by chance is drawn from this. */
  seed: number
  /** Fewer rows and shorter drives: for trying the bench itself. */
  quick: boolean
  /** Where the CPU profiles of the measured processes go, if wanted. */
  profileDirectory: string | undefined
  /** What the measured processes of ours are started with: the command's own heap limits. */
  nodeFlags: readonly string[]
}

/** What a part found out: the figures that have a target, and tables of what they are made of. */
export interface PartResult {
  figures: Figure[]
  tables?: Table[]
}

export interface Part {
  /** One line for the usage text. */
  about: string
  measure(options: PartOptions): Promise<PartResult>
}
