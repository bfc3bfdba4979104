/** The benchmark's answer: a table, a JSON file and a picture, all of one run on one machine. */
import { mkdirSync, writeFileSync } from 'node:fs';
import Table from 'cli-table3';
import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';

export interface Ratio {
  readonly name: string;
  readonly value: number;
  /** `most`: the aim is at most this; `least`: at least. */
  readonly aim: { readonly kind: 'most' | 'least'; readonly value: number };
}

export const reached = ({ value, aim }: Ratio): boolean =>
  aim.kind === 'most' ? value <= aim.value : value >= aim.value;

export function ratioTable(ratios: readonly Ratio[]): string {
  const table = new Table({ head: ['ratio', 'measured', 'aim', ''], style: { head: [], border: [] } });
  for (const ratio of ratios) {
    const sign = ratio.aim.kind === 'most' ? '≤' : '≥';
    table.push([
      ratio.name,
      `${ratio.value.toFixed(2)} ×`,
      `${sign} ${ratio.aim.value} ×`,
      reached(ratio) ? 'reached' : 'missed',
    ]);
  }
  return table.toString();
}

export function numberTable(rows: readonly (readonly [string, string])[]): string {
  const table = new Table({ head: ['measured', ''], style: { head: [], border: [] } });
  for (const row of rows) table.push([...row]);
  return table.toString();
}

/** Distribution of approval-to-result times as an SVG file. */
export async function latencyPicture(path: string, series: Readonly<Record<string, readonly number[]>>): Promise<void> {
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
    title: 'Milliseconds from approval, one after the other (one run, one machine)',
    background: 'white',
    width: 640,
    height: 60 * Object.keys(series).length,
    data: { values: Object.entries(series).flatMap(([name, samples]) => samples.map((ms) => ({ name, ms }))) },
    mark: { type: 'boxplot', extent: [0.01, 0.99] as never, size: 24 },
    encoding: {
      y: { field: 'name', type: 'nominal', title: null, sort: null },
      x: { field: 'ms', type: 'quantitative', title: 'ms' },
    },
  };
  const svg = await new View(parse(compile({ ...spec, mark: { type: 'boxplot', size: 24 } }).spec), {
    renderer: 'none',
  }).toSVG();
  writeFileSync(path, svg);
}

export function writeResult(directory: string, result: object): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/result.json`, `${JSON.stringify(result, null, 2)}\n`);
}
