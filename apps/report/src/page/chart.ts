import { BarChart, type BarSeriesOption, LineChart, type LineSeriesOption } from 'echarts/charts';
import {
  GridComponent,
  type GridComponentOption,
  MarkLineComponent,
  type MarkLineComponentOption,
} from 'echarts/components';
import { type ComposeOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { fitText, textWidth } from '../text/text-width.ts';

use([BarChart, LineChart, GridComponent, MarkLineComponent, SVGRenderer]);

type Option = ComposeOption<
  BarSeriesOption | LineSeriesOption | GridComponentOption | MarkLineComponentOption
>;

/** A size in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A value for each category; undefined for a gap. */
interface Series {
  /** Any CSS colour, such as a variable that differs between light and dark. */
  readonly colour: string;
  readonly values: readonly (number | undefined)[];
}

/** Series over categories. */
interface LinesPlot {
  readonly size: Size;
  readonly categories: readonly string[];
  readonly series: readonly Series[];
  /** Formats the labels of the value axis. */
  readonly formatValue: (value: number) => string;
}

/** Upright columns over categories, side by side or stacked. */
interface ColumnsPlot extends LinesPlot {
  readonly isStacked?: boolean;
  /** The ends of a whisker over the column of each category. */
  readonly whiskers?: readonly (readonly [low: number, high: number] | undefined)[];
  /** The value of a line across the plot. */
  readonly limit?: number;
  /** The end of the value axis, if fixed. */
  readonly highest?: number;
}

/** Horizontal bars, one group for each category, the first on top. */
interface BarsPlot extends Pick<LinesPlot, 'size' | 'categories'> {
  /** `labels` are shown at the ends of the bars. */
  readonly series: readonly (Series & { readonly labels: readonly string[] })[];
  /** Whether each bar of a category covers the one before, as a part of its whole. */
  readonly isOverlaid?: boolean;
}

/** A row of a plot of ranges: points on one line from the smallest to the largest. */
export interface RangeRow {
  readonly label: string;
  readonly points: readonly {
    readonly value: number;
    readonly colour: string;
    /** Whether the point is the end of an interval rather than a value. */
    readonly isSmall?: boolean;
  }[];
  /** The text at the end of the line. */
  readonly text: string;
}

/** Rows of points, each on a line, such as percentiles or a share in its interval. */
interface RangesPlot {
  readonly size: Size;
  readonly rows: readonly RangeRow[];
  readonly formatValue: (value: number) => string;
  /** Whether the axis is logarithmic; then all values must be above 0. */
  readonly isLogarithmic?: boolean;
}

// Variables of the page's style, so that one drawing serves light and dark.
const TEXT = 'var(--text-soft)';
const RULE = 'var(--rule)';
const AXIS = 'var(--axis)';
const LIMIT = 'var(--limit)';

const FONT_SIZE = 12;
/** Drawings below this width are for phones. */
const NARROW = 400;

/** Returns columns as an SVG element. All functions here are deterministic except for ids within the SVG, which are unique. */
export function columnsPlot(plot: ColumnsPlot): string {
  const { size, categories, series, isStacked = false, whiskers = [], highest } = plot;
  return draw(size, {
    grid: FULL_GRID,
    xAxis: categoryAxis(categories, size),
    yAxis: { ...valueAxis(plot.formatValue), ...(highest !== undefined && { max: highest }) },
    series: [
      ...series.map(
        ({ colour, values }, index): BarSeriesOption => ({
          type: 'bar',
          silent: true,
          data: values.map(orGap),
          itemStyle: { color: colour },
          barCategoryGap: '22%',
          barGap: '8%',
          barMaxWidth: 46,
          ...(isStacked && { stack: 'all' }),
          ...(index === 0 && limitLine(plot)),
        }),
      ),
      ...whiskers.flatMap((whisker, index) => (whisker === undefined ? [] : [whiskerLine(index, whisker)])),
    ],
  });
}

/** Returns lines with filled areas as an SVG element. */
export function linesPlot({ size, categories, formatValue, series }: LinesPlot): string {
  return draw(size, {
    grid: FULL_GRID,
    xAxis: { ...categoryAxis(categories, size), boundaryGap: categories.length === 1 },
    yAxis: valueAxis(formatValue),
    series: series.map(
      ({ colour, values }): LineSeriesOption => ({
        type: 'line',
        silent: true,
        data: values.map(orGap),
        // A line of few points is hardly visible.
        showSymbol: values.length <= 30,
        symbol: 'circle',
        symbolSize: 5,
        itemStyle: { color: colour },
        lineStyle: { color: colour, width: 2 },
        areaStyle: { color: colour, opacity: 0.16 },
      }),
    ),
  });
}

/** Returns horizontal bars as an SVG element. */
export function barsPlot({ size, categories, series, isOverlaid = false }: BarsPlot): string {
  const labels = series.flatMap((one) => one.labels);
  return draw(size, {
    grid: rowGrid(categories, labels, size),
    xAxis: { type: 'value', show: false, min: 0 },
    yAxis: rowAxis(categories, size),
    series: series.map(
      ({ colour, values, labels }, index): BarSeriesOption => ({
        type: 'bar',
        silent: true,
        data: values.map(orGap),
        itemStyle: { color: colour, borderRadius: [0, 2, 2, 0] },
        label: {
          show: true,
          position: 'right',
          color: TEXT,
          fontSize: FONT_SIZE,
          formatter: ({ dataIndex }) => labels[dataIndex] ?? '',
        },
        barMaxWidth: 18,
        barCategoryGap: '30%',
        barGap: isOverlaid ? '-100%' : '12%',
        z: 2 + index,
      }),
    ),
  });
}

/** Returns ranges as an SVG element. */
export function rangesPlot({ size, rows, formatValue, isLogarithmic = false }: RangesPlot): string {
  const texts = rows.map(({ text }) => text);
  const labels = rows.map(({ label }) => label);
  return draw(size, {
    grid: { ...rowGrid(labels, texts, size), bottom: 28 },
    xAxis: {
      ...valueAxis(formatValue, size.width < NARROW ? 2 : 4),
      ...(isLogarithmic ? { type: 'log' as const, min: decadeBelow(rows) } : { min: 0 }),
    },
    yAxis: rowAxis(labels, size),
    series: rows.map(
      ({ points, text }, row): LineSeriesOption => ({
        type: 'line',
        silent: true,
        symbol: 'circle',
        lineStyle: { color: AXIS, width: 2 },
        data: points.map(({ value, colour, isSmall = false }, index) => ({
          value: [value, row],
          symbolSize: isSmall ? 5 : 10,
          itemStyle: { color: colour, borderWidth: 0 },
          label: { show: index === points.length - 1 },
        })),
        label: { position: 'right', distance: 8, color: TEXT, fontSize: FONT_SIZE, formatter: () => text },
      }),
    ),
  });
}

/** Keeps the labels of axes within the drawing. */
const FULL_GRID: GridComponentOption = {
  left: 4,
  right: 14,
  top: 12,
  bottom: 4,
  outerBoundsMode: 'same',
  outerBoundsContain: 'axisLabel',
};

function draw({ width, height }: Size, option: Option): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: 'var(--font)' }, ...option });
    // The style of echarts is for pointers only, which these drawings do not need.
    return chart.renderToSVGString().replace(/<style\b[\s\S]*?<\/style>/g, '');
  } finally {
    chart.dispose();
  }
}

/** Returns an axis with as many labels as fit. */
function categoryAxis(categories: readonly string[], { width }: Size) {
  const fitting = Math.max(1, Math.floor((width - 50) / (widest(categories) + 8)));
  const step = Math.ceil(categories.length / fitting);
  return {
    type: 'category' as const,
    data: [...categories],
    axisLine: { lineStyle: { color: AXIS } },
    axisTick: { show: false },
    axisLabel: { color: TEXT, fontSize: FONT_SIZE, interval: step - 1, hideOverlap: true },
  };
}

/** Returns the names of rows, cut to two fifths of the drawing. */
function rowLabels(categories: readonly string[], { width }: Size): string[] {
  return categories.map((name) => fitText(name, width * 0.4));
}

/** Returns a grid with room on the left for the names of rows, and on the right for the texts at their ends. */
function rowGrid(categories: readonly string[], texts: readonly string[], size: Size): GridComponentOption {
  return {
    left: widest(rowLabels(categories, size)) + 12,
    right: widest(texts) + 14,
    top: 0,
    bottom: 4,
    outerBoundsMode: 'none',
  };
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(textWidth));
}

function rowAxis(categories: readonly string[], size: Size) {
  return {
    type: 'category' as const,
    inverse: true,
    data: rowLabels(categories, size),
    axisLine: { show: false },
    axisTick: { show: false },
    axisLabel: { color: TEXT, fontSize: FONT_SIZE, interval: 0 },
  };
}

/** Returns an axis of values, with fewer labels on a narrow drawing. */
function valueAxis(formatValue: (value: number) => string, splitNumber = 4) {
  return {
    type: 'value' as const,
    splitNumber,
    axisLabel: { color: TEXT, fontSize: FONT_SIZE, hideOverlap: true, formatter: formatValue },
    splitLine: { lineStyle: { color: RULE } },
  };
}

function limitLine({ limit }: ColumnsPlot): Pick<BarSeriesOption, 'markLine'> {
  if (limit === undefined) return {};
  return {
    markLine: {
      silent: true,
      symbol: 'none',
      label: { show: false },
      lineStyle: { color: LIMIT, type: 'dashed', width: 1.5 },
      data: [{ yAxis: limit }],
    },
  };
}

function whiskerLine(category: number, [low, high]: readonly [number, number]): LineSeriesOption {
  return {
    type: 'line',
    silent: true,
    symbol: 'rect',
    symbolSize: [7, 1.5],
    itemStyle: { color: AXIS },
    lineStyle: { color: AXIS, width: 1.5 },
    data: [
      [category, low],
      [category, high],
    ],
    z: 5,
  };
}

/** Returns the power of ten at which a logarithmic scale begins. */
function decadeBelow(rows: readonly RangeRow[]): number {
  const smallest = Math.min(...rows.flatMap(({ points }) => points.map(({ value }) => value)));
  return 10 ** Math.floor(Math.log10(smallest));
}

/** Returns the marker of a gap for a missing value. */
function orGap(value: number | undefined): number | '-' {
  return value ?? '-';
}
