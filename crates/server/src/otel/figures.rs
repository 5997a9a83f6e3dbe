//! The figures of `/metrics` in the form of OTLP.
//!
//! They are read from the text that is served there, so whatever is counted is sent, and counted once.

use serde_json::{Map, Value, json};

use super::text_attribute;

/// Values are sums since the server began.
const CUMULATIVE: u8 = 2;

/// A family of figures, as far as it was read.
#[derive(Default)]
struct Family<'a> {
    name: &'a str,
    help: &'a str,
    kind: &'a str,
    unit: &'a str,
    samples: Vec<Sample<'a>>,
}

/// One line of figures.
struct Sample<'a> {
    /// What follows the name of the family, such as `_total`.
    suffix: &'a str,
    labels: Vec<(&'a str, String)>,
    value: f64,
}

/// Converts what is served; `started` and `now` are nanoseconds since 1970.
pub(super) fn convert(text: &str, started: &str, now: &str) -> Vec<Value> {
    let mut families: Vec<Family<'_>> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(about) => read_about(about, &mut families),
            None => {
                if let Some(family) = families.last_mut() {
                    let sample = Sample::parse(line, family.name);
                    family.samples.extend(sample);
                }
            }
        }
    }
    let known = families.iter().filter(|it| !it.samples.is_empty());
    known.filter_map(|it| it.to_json(started, now)).collect()
}

/// Reads a line such as `HELP name what it is`; one about another name begins another family.
fn read_about<'a>(about: &'a str, families: &mut Vec<Family<'a>>) {
    let mut words = about.splitn(3, ' ');
    let (Some(what), Some(name)) = (words.next(), words.next()) else {
        return;
    };
    if families.last().is_none_or(|it| it.name != name) {
        families.push(Family {
            name,
            ..Family::default()
        });
    }
    if let Some(family) = families.last_mut() {
        let said = words.next().unwrap_or_default();
        match what {
            "HELP" => family.help = said,
            "TYPE" => family.kind = said,
            "UNIT" => family.unit = said,
            _ => {}
        }
    }
}

impl<'a> Sample<'a> {
    fn parse(line: &'a str, family: &str) -> Option<Self> {
        let rest = line.strip_prefix(family)?;
        let (suffix, rest) = rest.split_at(rest.find(['{', ' '])?);
        let (labels, value) = match rest.strip_prefix('{') {
            Some(inside) => read_labels(inside)?,
            None => (Vec::new(), rest),
        };
        let value = value.split_whitespace().next()?.parse().ok()?;
        Some(Self {
            suffix,
            labels,
            value,
        })
    }
}

/// Reads labels up to the brace that ends them, and returns what follows.
fn read_labels(mut rest: &str) -> Option<(Vec<(&str, String)>, &str)> {
    let mut labels = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Some((labels, after));
        }
        let (name, quoted) = rest.trim_start_matches(',').split_once("=\"")?;
        let (value, after) = read_quoted(quoted)?;
        labels.push((name, value));
        rest = after;
    }
}

/// Reads up to the quote that ends a value, with what is escaped in it.
fn read_quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                escaped => value.push(escaped),
            },
            c => value.push(c),
        }
    }
    None
}

impl Family<'_> {
    fn to_json(&self, started: &str, now: &str) -> Option<Value> {
        let point = |labels: &[(&str, String)]| {
            let mut point = Map::new();
            let attributes = labels.iter().map(|(key, value)| text_attribute(key, value));
            point.insert("attributes".to_owned(), attributes.collect());
            point.insert("startTimeUnixNano".to_owned(), started.into());
            point.insert("timeUnixNano".to_owned(), now.into());
            point
        };
        let numbers = || -> Vec<Value> {
            let points = self.samples.iter().map(|it| {
                let mut point = point(&it.labels);
                point.insert("asDouble".to_owned(), it.value.into());
                Value::Object(point)
            });
            points.collect()
        };
        let data = match self.kind {
            "counter" => json!({"sum": {
                "aggregationTemporality": CUMULATIVE, "isMonotonic": true, "dataPoints": numbers(),
            }}),
            "gauge" => json!({"gauge": {"dataPoints": numbers()}}),
            "histogram" => json!({"histogram": {
                "aggregationTemporality": CUMULATIVE, "dataPoints": self.to_histograms(point),
            }}),
            // What the program is, the resource says.
            _ => return None,
        };
        let mut metric = data;
        metric["name"] = self.name.into();
        metric["description"] = self.help.trim_end_matches('.').into();
        metric["unit"] = if self.unit == "seconds" { "s" } else { "" }.into();
        Some(metric)
    }

    /// Gathers the lines of each histogram: those whose labels are the same but for the bound.
    fn to_histograms(&self, point: impl Fn(&[(&str, String)]) -> Map<String, Value>) -> Vec<Value> {
        let counts = self.samples.iter().filter(|it| it.suffix == "_count");
        let histograms = counts.map(|count| {
            let same = |it: &&Sample<'_>| {
                let labels = it.labels.iter().filter(|(name, _)| *name != "le");
                labels.eq(&count.labels)
            };
            let of = |suffix: &'static str| {
                let all = self.samples.iter().filter(move |it| it.suffix == suffix);
                all.filter(same)
            };
            let (mut bounds, mut buckets, mut below) = (Vec::new(), Vec::new(), 0.0);
            for bucket in of("_bucket") {
                let bound = bucket.labels.iter().find(|(name, _)| *name == "le");
                let bound = bound.and_then(|(_, bound)| bound.parse::<f64>().ok());
                bounds.extend(bound.filter(|it| it.is_finite()));
                buckets.push(format!("{:.0}", bucket.value - below));
                below = bucket.value;
            }
            let mut point = point(&count.labels);
            point.insert("count".to_owned(), format!("{:.0}", count.value).into());
            let sum = of("_sum").next().map_or(0.0, |it| it.value);
            point.insert("sum".to_owned(), sum.into());
            point.insert("bucketCounts".to_owned(), buckets.into());
            point.insert("explicitBounds".to_owned(), bounds.into());
            Value::Object(point)
        });
        histograms.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;

    #[test]
    fn what_is_counted_is_converted() {
        let metrics = Metrics::new();
        metrics.count_request("/v1/lessons/{id}", "GET", 200, 0.0004);
        metrics.count_request("/v1/lessons/{id}", "GET", 200, 99.0);
        metrics.count_recall("silent");
        metrics.waiting.set(3);
        let converted = convert(&metrics.render(), "1", "2");
        let find = |name: &str| {
            let found = converted.iter().find(|it| it["name"] == name);
            found.unwrap_or_else(|| panic!("{name} is not in {converted:?}"))
        };
        let requests = find("hardwon_http_requests");
        insta::assert_snapshot!(requests.to_string(), @r#"{"description":"Requests answered","name":"hardwon_http_requests","sum":{"aggregationTemporality":2,"dataPoints":[{"asDouble":2.0,"attributes":[{"key":"route","value":{"stringValue":"/v1/lessons/{id}"}},{"key":"method","value":{"stringValue":"GET"}},{"key":"status","value":{"stringValue":"200"}}],"startTimeUnixNano":"1","timeUnixNano":"2"}],"isMonotonic":true},"unit":""}"#);
        assert_eq!(
            find("hardwon_waiting_requests")["gauge"]["dataPoints"][0]["asDouble"],
            3.0
        );
        let took = &find("hardwon_http_request_duration_seconds")["histogram"]["dataPoints"][0];
        assert_eq!(
            (&took["count"], &took["sum"]),
            (&json!("2"), &json!(99.0004))
        );
        let buckets: Vec<u64> = took["bucketCounts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_str().unwrap().parse().unwrap())
            .collect();
        assert_eq!(buckets.iter().sum::<u64>(), 2);
        assert_eq!((buckets[1], buckets.last()), (1, Some(&1)));
        assert_eq!(
            took["explicitBounds"].as_array().unwrap().len() + 1,
            buckets.len()
        );
    }

    #[test]
    fn labels_are_read_as_they_are_written() {
        let text = "# TYPE a counter\na_total{x=\"1,\\\"}\\\\\\n\",y=\"\"} 2.5 7\nb 1\na_total{x= 1\n# EOF\n";
        let converted = convert(text, "1", "2");
        let point = &converted[0]["sum"]["dataPoints"];
        assert_eq!(point.as_array().unwrap().len(), 1, "{converted:?}");
        assert_eq!(
            point[0]["attributes"][0]["value"]["stringValue"],
            "1,\"}\\\n"
        );
        assert_eq!(point[0]["asDouble"], 2.5);
    }
}
