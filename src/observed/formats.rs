//! The formats of region statistics that are read, and how each is recognised. Must not know what is made of regions.

use super::format::{Format, MB, Numbers, Part};
use super::json_rows::{beans, heat_map, objects};
use super::keys::{
    after_inclusive, cockroach, digits, escaped, text_inclusive, text_or_escaped, tidb,
};
use super::shell_texts::{accumulo_list, is_split_points, meta, split_list, split_points, status};
use super::tables::{ITERATION, has_ruled_heading, iterations, ruled, separated};
use Numbers::{Counters, Gauges, Nothing};
use Part::{End, Id, Name, Namespace, Reads, Requests, Server, Size, Start, Table, Writes};

/// What most formats are like.
const USUAL: Format = Format {
    name: "",
    numbers: Nothing,
    unit: "requests",
    is_partial: false,
    help: "",
    is: |_| false,
    cut: separated,
    columns: &[],
    needs: &[],
    key: escaped,
    size: 1.0,
};

fn heading(head: &str) -> &str {
    head.trim_start_matches('\u{feff}')
        .lines()
        .next()
        .unwrap_or_default()
}

fn has_column(head: &str, name: &str) -> bool {
    heading(head).split(',').any(|column| column == name)
}

fn is_json(head: &str) -> bool {
    head.trim_start().starts_with(['{', '['])
}

/// All of them. Where the shapes and what is counted are read from: HBase's shell (list_regions.rb, admin.rb, table.rb), RegionMetrics.java,
/// MetricsRegionSourceImpl.java and hbtop; the reference of Cloud Bigtable's HotTablet; `SHOW RANGES` of CockroachDB; PD's response/region.go and
/// hot_peer; `SHOW TABLE REGIONS` of TiDB; Accumulo's GetSplitsCommand and ListTabletsCommand; tidb-dashboard's keyvisual.
#[rustfmt::skip]
pub static FORMATS: [Format; 16] = [
    Format {
        name: "`list_regions` of the HBase shell", numbers: Counters, cut: ruled, size: MB,
        is: has_ruled_heading,
        columns: &[("SERVER_NAME", Server), ("REGION_NAME", Name), ("START_KEY", Start), ("END_KEY", End), ("SIZE", Size), ("REQ", Requests)],
        needs: &["START_KEY", "END_KEY", "REQ"],
        help: "write it with `echo \"list_regions 'TABLE'\" | hbase shell -n > FILE`",
        ..USUAL
    },
    Format {
        name: "`status 'detailed'` of the HBase shell", numbers: Counters, cut: status, size: MB,
        is: |head| head.contains(" live servers\n") && head.contains("regionsInTransition"),
        columns: &[
            ("readRequestsCount", Reads), ("writeRequestsCount", Writes), ("storefileSizeMB", Size),
            ("readRequestCount", Reads), ("writeRequestCount", Writes), ("storeFileSize", Size),
        ],
        help: "write it with `echo \"status 'detailed'\" | hbase shell -n > FILE`",
        ..USUAL
    },
    Format {
        name: "a region server's JMX page", numbers: Counters, cut: beans,
        is: |head| is_json(head) && head.contains("\"beans\""),
        columns: &[("readRequestCount", Reads), ("writeRequestCount", Writes), ("storeFileSize", Size)],
        help: "write it with `curl 'http://SERVER:16030/jmx?qry=Hadoop:service=HBase,name=RegionServer,sub=Regions' > FILE` for each region server",
        ..USUAL
    },
    Format {
        name: "hbtop in batch mode", numbers: Gauges(1.0), cut: iterations,
        is: |head| head.contains(ITERATION),
        columns: &[
            ("NAMESPACE", Namespace), ("TABLE", Table), ("REGION", Id), ("SKEY", Start), ("RS", Server), ("LRS", Server), ("#REQ/S", Requests),
            ("#READ/S", Reads), ("#WRITE/S", Writes), ("SF", Size),
        ],
        help: "two iterations, of which the second counts: `hbase hbtop -b -n 2 -d 60 > FILE`",
        ..USUAL
    },
    Format {
        name: "a scan of `hbase:meta`", cut: meta,
        is: |head| head.contains(" COLUMN+CELL"),
        help: "write it with `echo \"scan 'hbase:meta'\" | hbase shell -n > FILE`",
        ..USUAL
    },
    Format {
        name: "Cloud Bigtable's hot tablets", numbers: Gauges(1.0), unit: "% of a node's CPU", is_partial: true, cut: objects, key: text_or_escaped,
        is: |head| is_json(head) && head.contains("\"nodeCpuUsagePercent\""),
        columns: &[("/nodeCpuUsagePercent", Requests), ("/tableName", Table), ("/startKey", Start), ("/endKey", End)],
        help: "write it with `gcloud bigtable hot-tablets list CLUSTER --instance=INSTANCE --format=json > FILE`",
        ..USUAL
    },
    Format {
        name: "CockroachDB's `SHOW RANGES`", key: cockroach,
        is: |head| has_column(head, "range_id") && has_column(head, "start_key"),
        columns: &[("raw_start_key", Start), ("raw_end_key", End), ("range_id", Id), ("lease_holder", Server), ("range_size", Size)],
        needs: &["raw_start_key", "raw_end_key", "range_id"],
        help: "write it with `cockroach sql --format=csv -e 'SHOW RANGES FROM TABLE t WITH KEYS, DETAILS' > FILE`",
        ..USUAL
    },
    Format {
        name: "CockroachDB's hot ranges", numbers: Gauges(1.0), unit: "keys", is_partial: true, cut: objects,
        is: |head| is_json(head) && head.contains("\"writesPerSecond\""),
        columns: &[("/rangeId", Id), ("/tableName", Table), ("/leaseholderNodeId", Server), ("/readsPerSecond", Reads), ("/writesPerSecond", Writes)],
        help: "write it with `curl -X POST http://NODE:8080/_status/v2/hotranges > FILE`",
        ..USUAL
    },
    Format {
        name: "PD's regions", numbers: Gauges(60.0), unit: "keys", cut: objects, key: digits, size: MB,
        is: |head| is_json(head) && head.contains("\"start_key\"") && head.contains("\"written_keys\""),
        columns: &[
            ("/start_key", Start), ("/end_key", End), ("/id", Id), ("/leader/store_id", Server), ("/read_keys", Reads), ("/written_keys", Writes),
            ("/approximate_size", Size),
        ],
        help: "write it with `pd-ctl region > FILE`",
        ..USUAL
    },
    Format {
        name: "PD's hot regions", numbers: Gauges(1.0), unit: "keys", is_partial: true, cut: objects,
        is: |head| is_json(head) && head.contains("\"flow_keys\""),
        columns: &[("/flow_keys", Requests), ("/region_id", Id), ("/store_id", Server)],
        help: "write it with `pd-ctl hot write > FILE`",
        ..USUAL
    },
    Format {
        name: "TiDB's `SHOW TABLE REGIONS`", numbers: Gauges(60.0), unit: "bytes", key: tidb, size: MB,
        is: |head| head.contains("REGION_ID") && head.contains("START_KEY") && head.contains("WRITTEN_BYTES"),
        columns: &[
            ("REGION_ID", Id), ("START_KEY", Start), ("END_KEY", End), ("LEADER_STORE_ID", Server), ("READ_BYTES", Reads), ("WRITTEN_BYTES", Writes),
            ("APPROXIMATE_SIZE(MB)", Size),
        ],
        needs: &["REGION_ID", "START_KEY", "END_KEY", "WRITTEN_BYTES"],
        help: "write it with `mysql -t -e 'SHOW TABLE t REGIONS' > FILE`",
        ..USUAL
    },
    Format {
        name: "the Key Visualizer's heat map", numbers: Gauges(60.0), unit: "keys", cut: heat_map, key: digits,
        is: |head| is_json(head) && (head.contains("\"keyAxis\"") || head.contains("{\"written_keys\":[[")),
        columns: &[("written_keys", Writes), ("read_keys", Reads)],
        help: "write it with `curl 'http://PD:2379/dashboard/api/keyvisual/heatmaps' > FILE`",
        ..USUAL
    },
    Format {
        name: "`getsplits -v` of Accumulo", cut: split_list, key: after_inclusive,
        is: |head| heading(head).contains(" (-inf, "),
        help: "write it with `accumulo shell -e 'getsplits -v -t TABLE' > FILE`",
        ..USUAL
    },
    Format {
        name: "`getsplits` of Accumulo", cut: split_points,
        is: is_split_points,
        help: "write it with `accumulo shell -e 'getsplits -v -t TABLE' > FILE`",
        ..USUAL
    },
    Format {
        name: "`listtablets` of Accumulo", cut: accumulo_list, key: text_inclusive,
        is: |head| heading(head).contains("TABLET_DIR") && heading(head).contains("START (Exclusive)"),
        columns: &[("NUM", Id), ("SIZE", Size), ("LOCATION", Server)],
        help: "write it with `accumulo shell -e 'listtablets -t TABLE' > FILE`",
        ..USUAL
    },
    Format {
        name: "a table of regions", numbers: Counters,
        is: |head| ["start_key", "end_key"].iter().all(|name| has_column(head, name)),
        columns: &[("table", Table), ("start_key", Start), ("end_key", End), ("server", Server), ("reads", Reads), ("writes", Writes), ("requests", Requests)],
        needs: &["start_key", "end_key"],
        help: "columns are start_key, end_key, server, reads and writes, keys in HBase's `\\xHH`",
        ..USUAL
    },
];

/// The format of a file that begins so; `None` of anything else.
pub fn recognise(head: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.is)(head))
}
