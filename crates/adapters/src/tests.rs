//! A server on a real socket that answers as services do, for all tests that call one.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
};

use crate::{ServiceConfig, SettingNames};

pub(crate) const KEY: &str = "sk-test-5up3rs3cr3t";

/// The server's behaviour for one request.
#[derive(Clone)]
pub(crate) enum Does {
    /// It answers: status, further headers, body.
    Answer(u16, &'static str, String),
    /// It sends nothing for longer than any client waits.
    Hang,
    /// It announces more bytes than it sends.
    BreakOff,
}

/// Serves one request; returns the server's address and a channel with the request.
pub(crate) fn serve(does: Does) -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = mpsc::channel();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        sender.send(request(&stream)).unwrap();
        let mut stream = stream;
        match does {
            Does::Answer(status, headers, body) => {
                let length = body.len();
                let head =
                    format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n");
                drop(stream.write_all((head + &body).as_bytes()));
            }
            Does::BreakOff => {
                drop(stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"));
            }
            Does::Hang => {
                // Waits until the client gives up.
                drop(stream.read(&mut [0]));
            }
        }
    });
    (url, asked)
}

/// Returns a service's configuration whose settings begin with this name.
pub(crate) fn config(name: &str, url: &str, key_variable: &str) -> ServiceConfig {
    let names = match name {
        "model" => ("model_url", "model_key_env"),
        _ => ("embedding_url", "embedding_key_env"),
    };
    ServiceConfig {
        url: url.to_owned(),
        model: "m-1".to_owned(),
        key_variable: key_variable.to_owned(),
        names: SettingNames {
            url: names.0,
            key_variable: names.1,
        },
    }
}

fn request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        let is_told = ["post", "authorization", "x-", "anthropic"];
        if is_told
            .iter()
            .any(|name| line.to_lowercase().starts_with(name))
        {
            head.push_str(line.trim());
            head.push('\n');
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    format!("{head}{body:#}")
}
