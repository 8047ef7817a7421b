// Which layout a file has, which of its series and columns is wanted, and what is said where that is unclear.

import { describe, expect, test } from "vitest";
import { IndexFileError } from "../../../src/index-files/fault.ts";
import { readIndexFile } from "../../../src/index-files/read.ts";

const read = (text: string, asked: string | null = null) => readIndexFile([text], asked);
const usd = (text: string, asked: string | null = null) =>
  read(text, asked).series.prints.map(({ date, price }) => `${date} ${Number(price) / 1e8}`);

function faultsOf(text: string, asked: string | null = null): readonly string[] {
  try {
    read(text, asked);
  } catch (error) {
    if (error instanceof IndexFileError) return error.faults;
    throw error;
  }
  return [];
}

const DAYS = ["2024-01-01 200", "2024-01-02 201", "2024-01-03 202"];

test.each([
  ["the contract's", "parcl_id,date,price_feed\n5,2024-01-01,200\n5,2024-01-02,201\n5,2024-01-03,202"],
  [
    "columns that nobody asked for",
    'date,name,price_feed,parcl_id\n2024-01-01,"New York, NY",200,5\n2024-01-02,"New York, NY",201,5\n2024-01-03,"New York, NY",202,5',
  ],
  ["a pandas index", ",parcl_id,date,price_feed\n0,5,2024-01-01,200\n1,5,2024-01-02,201\n2,5,2024-01-03,202"],
  ["no head", "5,2024-01-01,200\n5,2024-01-02,201\n5,2024-01-03,202"],
  ["other names", "index,day,level\n5,2024-01-01,200.0\n5,2024-01-02,201.0\n5,2024-01-03,202.0"],
  ["dates and values", "date,value\n2024-01-01,200\n2024-01-02,201\n2024-01-03,202"],
  ["values before dates", "close,day\n200,2024-01-01\n201,2024-01-02\n202,2024-01-03"],
  ["dates and values alone", "2024-01-01,200\n2024-01-02,201\n2024-01-03,202"],
  ["a blank line before the head", "\nparcl_id,date,price_feed\n5,2024-01-01,200\n5,2024-01-02,201\n5,2024-01-03,202"],
  ["tabs", "parcl_id\tdate\tprice_feed\n5\t2024-01-01\t200\n5\t2024-01-02\t201\n5\t2024-01-03\t202"],
  ["bars", "parcl_id|date|price_feed\n5|2024-01-01|200\n5|2024-01-02|201\n5|2024-01-03|202"],
  ["semicolons", "parcl_id;date;price_feed\n5;2024-01-01;200,0\n5;2024-01-02;201,0\n5;2024-01-03;202,0"],
  [
    "FRED's with a point",
    "observation_date,X\n2023-12-31,.\n2024-01-01,200\n2024-01-02,201\n2024-01-03,202\n2024-01-04,.",
  ],
  ["dates as columns, of no publisher", "place,2024-01-01,2024-01-02,2024-01-03\nA,200,201,202"],
  ["dates as columns", "RegionID,RegionName,2024-01-01,2024-01-02,2024-01-03\n5,A,200,201,202"],
])("%s: the only series is read without a name", (_name, text) => {
  expect(usd(text)).toEqual(DAYS);
});

describe("FHFA's files of regions without a head", () => {
  const metro =
    '"Abilene, TX",10180,1975,1,-,-\n"Abilene, TX",10180,1975,2,100,(1.2)\n"Abilene, TX",10180,1975,3,101,(1.2)';

  test("have a name, a code, year, quarter and the index", () => {
    expect(usd(metro)).toEqual(["1975-04-01 100", "1975-07-01 101"]);
    expect(read(metro).name).toBe("10180");
    expect(usd(metro, "abilene, tx")).toEqual(usd(metro, "10180"));
  });

  test("or a state in place of both", () => {
    const states = "AK,1975,1,62.06\nAK,1975,2,63\nAL,1975,1,50\nAL,1975,2,51\n";
    expect(usd(states, "AL")).toEqual(["1975-01-01 50", "1975-04-01 51"]);
    expect(faultsOf(states)).toEqual(["has several series; name one: AK, AL"]);
  });
});

describe("FHFA's master file", () => {
  const HEAD = "hpi_type,hpi_flavor,frequency,level,place_name,place_id,yr,period,index_nsa,index_sa";
  const rows = ["purchase-only", "all-transactions"].flatMap((flavor) =>
    (["monthly", "quarterly"] as const).flatMap((frequency) =>
      [1, 2, 3].map(
        (period) =>
          `traditional,${flavor},${frequency},USA,East,DV_ENC,2015,${period},${(flavor === "purchase-only" ? 100 : 200) + period},${300 + period}`,
      ),
    ),
  );
  const text = [HEAD, ...rows].join("\n");

  test("holds several series of one place: what tells them apart is listed, and names one", () => {
    expect(faultsOf(text, "DV_ENC")).toEqual([
      'has several series "DV_ENC"; name one of DV_ENC/purchase-only/monthly (East), DV_ENC/purchase-only/quarterly (East), ' +
        "DV_ENC/all-transactions/monthly (East), DV_ENC/all-transactions/quarterly (East)",
    ]);
    expect(usd(text, "DV_ENC/all-transactions/quarterly")).toEqual([
      "2015-01-01 201",
      "2015-04-01 202",
      "2015-07-01 203",
    ]);
    expect(usd(text, "East/monthly/purchase-only")).toEqual(["2015-01-01 101", "2015-02-01 102", "2015-03-01 103"]);
  });

  test("gives the unadjusted index, and another column where it is named", () => {
    const name = "DV_ENC/purchase-only/monthly";
    expect(read(text, name).choice).toBe(
      `takes index_nsa of the columns index_nsa, index_sa; name the series ${name}:index_sa to take another`,
    );
    expect(usd(text, `${name}:INDEX_SA`)[0]).toBe("2015-01-01 301");
    expect(read(text, `${name}:index_sa`).choice).toBe(null);
  });
});

describe("a file of several columns of values", () => {
  const text =
    "Date,RegionName,AreaCode,AveragePrice,IndexSA,Index\n01/01/2015,Bath,E06,300000,101,100\n01/02/2015,Bath,E06,300100,102,101\n";

  test("gives the unadjusted index first, wherever it stands", () => {
    expect(usd(text)).toEqual(["2015-01-01 100", "2015-02-01 101"]);
    expect(read(text).series.period).toBe("month");
  });

  test("gives a column that is named, with a series or alone", () => {
    for (const asked of ["E06:AveragePrice", "Bath:averageprice", "average price"])
      expect(usd(text, asked)).toEqual(["2015-01-01 300000", "2015-02-01 300100"]);
  });

  test("lists its columns to those who name another", () => {
    expect(faultsOf(text, "E06:Prices")).toEqual([
      "has no row of series E06:Prices; it has E06 (Bath); its columns are Date, RegionName, AreaCode, AveragePrice, IndexSA, Index",
    ]);
  });

  test("without an index gives the first price", () => {
    const redfin = "PERIOD_BEGIN\tREGION\tMEDIAN_PPSF\tMEDIAN_SALE_PRICE\n2015-01-01\tNational\t200\t400000\n";
    expect(usd(redfin)).toEqual(["2015-01-01 400000"]);
  });
});

test("a table of Redfin's pages has months by name and thousands as K", () => {
  const page =
    "Region\tMonth of Period End\tMedian Sale Price\tMedian Sale Price MoM\nNational\tJanuary 2015\t$202K\t1.2%\nNational\tFebruary 2015\t$1.2M\t\n";
  expect(usd(page)).toEqual(["2015-01-01 202000", "2015-02-01 1200000"]);
});

describe("a name", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, at) => `${at + 1},2024-01-01,200`);
  const text = ["parcl_id,date,price_feed", ...ids(30)].join("\n");

  test("that is left out gets a list of what is there, bounded", () => {
    const [fault = "", ...more] = faultsOf(text);
    expect(fault).toMatch(/^has several series; name one: 1, 2, 3, .*, 20, and 10 more$/);
    expect(more).toEqual([]);
  });

  test("with a comma is listed in quotes, and a long one is cut", () => {
    const places = `PERIOD_BEGIN,REGION,MEDIAN_SALE_PRICE\n2015-01-01,"Bath, NY",1\n2015-01-01,${"x".repeat(1000)},1\n`;
    expect(faultsOf(places)).toEqual([`has several series; name one: "Bath, NY", ${"x".repeat(80)}…`]);
  });

  test("that is not there gets the nearest, or the list", () => {
    expect(faultsOf(text, "us")[0]).toMatch(/^has no row of series us; it has 1, 2,/);
    expect(faultsOf("parcl_id,date,price_feed\n5826765,2024-01-01,200", "5826756")).toEqual([
      "has no row of series 5826756; did you mean 5826765?",
    ]);
  });

  test("of one among more than ten thousand is found, and the others are counted", () => {
    const many = ["parcl_id,date,price_feed", ...ids(10_500)].join("\n");
    expect(usd(many, "10400")).toEqual(["2024-01-01 200"]);
    expect(faultsOf(many)[0]).toMatch(/20, and more than 9980 more$/);
  });

  test("in the other case is that series, unless one is written so", () => {
    const cased = "parcl_id,date,price_feed\nus,2024-01-01,1\nUS,2024-01-01,2\nGb,2024-01-01,3";
    expect(usd(cased, "gb")).toEqual(["2024-01-01 3"]);
    expect(usd(cased, "US")).toEqual(["2024-01-01 2"]);
    expect(faultsOf(cased, "Us")).toEqual(['has several series "Us"; name one of us, US']);
  });

  test("names a column of FRED's files", () => {
    const fred = "observation_date,A,B\n2024-01-01,1,2\n2024-02-01,,3\n";
    expect(usd(fred, "b")).toEqual(["2024-01-01 2", "2024-02-01 3"]);
    expect(faultsOf(fred)).toEqual(["has several series; name one: A, B"]);
  });
});

test("a row of dates may end early; in any other a missing cell is a fault", () => {
  const wide = "RegionID,RegionName,2024-01-31,2024-02-29,2024-03-31\n5,A,,201,202\n6,B,200,201\n";
  expect(usd(wide, "B")).toEqual(["2024-01-31 200", "2024-02-29 201"]);
  expect(faultsOf("parcl_id,date,price_feed\n5,2024-01-01\n", "5")).toEqual(["line 2: has 2 cells, and line 1 has 3"]);
});

const MAKE = "make it parcl_id,date,price_feed with one value a line below, as 5826765,2024-01-31,217.1";
test.each([
  ["other columns", "a,b\n1,2", `line 1 is "a,b", which begins no index file that Quoin knows; ${MAKE}`],
  [
    "two dates",
    "a,b,c\n2024-01-01,2024-01-02,3",
    `line 1 is "a,b,c", which begins no index file that Quoin knows; ${MAKE}`,
  ],
  [
    "two texts",
    "d,a,b,c\n2024-01-01,x,y,3",
    `line 1 is "d,a,b,c", which begins no index file that Quoin knows; ${MAKE}`,
  ],
  [
    "a column that is there twice",
    "parcl_id,date,price_feed,Price_Feed\n5,2024-01-01,1,2",
    "line 1 names the column price_feed twice; leave one of them out",
  ],
  ["nothing", "", `is empty; line 1 names the columns: ${MAKE}`],
  ["only a head", "parcl_id,date,price_feed", "has no row under line 1"],
])("%s is refused in a sentence that says what to do", (_name, text, fault) => {
  expect(faultsOf(text)).toEqual([fault]);
});
