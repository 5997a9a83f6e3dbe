//! Has `hardwon night` run every night: prints or writes what the system's own timer needs. Starts nothing itself.

use std::{env, fs, path::PathBuf};

use crate::{
    args::{GlobalArgs, ScheduleKind},
    config,
    error::CliError,
    output,
};

/// When it runs: every night, when nothing else does.
const HOUR: u8 = 3;
const MINUTE: u8 = 30;

/// A file for a timer, by its place below the home folder.
struct TimerFile {
    place: &'static str,
    text: String,
}

pub(super) fn run(global: &GlobalArgs, kind: ScheduleKind, installs: bool) -> Result<(), CliError> {
    let command = find_command(global, kind)?;
    let files = render_files(kind, &command);
    if !installs {
        for file in &files {
            let title = if file.place.is_empty() {
                String::new()
            } else {
                format!("# ~/{}\n", file.place)
            };
            output::print(&format!("{title}{}\n", file.text))?;
        }
        return Ok(());
    }
    let by_hand = match kind {
        ScheduleKind::Cron => Some((
            "a line of a crontab",
            "add what `hardwon night --schedule cron` prints with `crontab -e`",
        )),
        ScheduleKind::Schtasks => Some((
            "a task of the Task Scheduler",
            "run what `hardwon night --schedule schtasks` prints in a command prompt",
        )),
        ScheduleKind::Systemd | ScheduleKind::Launchd => None,
    };
    if let Some((what, hint)) = by_hand {
        let message = format!("{what} is not installed by hardwon");
        return Err(CliError::bad_input(message).with_hint(hint));
    }
    let home = config::home_folder().ok_or_else(|| {
        CliError::internal("there is no home folder to write to").with_hint("set HOME")
    })?;
    for file in &files {
        write_file(&home.join(file.place), &file.text)?;
    }
    output::print_line(match kind {
        ScheduleKind::Systemd => "switch it on: systemctl --user enable --now hardwon-night.timer",
        ScheduleKind::Launchd => {
            "switch it on: launchctl load ~/Library/LaunchAgents/dev.hardwon.night.plist"
        }
        ScheduleKind::Cron | ScheduleKind::Schtasks => "",
    })
}

fn write_file(path: &PathBuf, text: &str) -> Result<(), CliError> {
    let cannot =
        |it: std::io::Error| CliError::bad_input(format!("writing {}: {it}", path.display()));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(cannot)?;
    }
    fs::write(path, text).map_err(cannot)?;
    output::print_line(&format!("wrote {}", path.display()))
}

/// Returns the words of the command, with the database if one was named.
fn find_command(global: &GlobalArgs, kind: ScheduleKind) -> Result<Vec<String>, CliError> {
    let program = env::current_exe()?;
    let mut words = vec![program.to_string_lossy().into_owned(), "night".to_owned()];
    if let Some(db) = &global.db {
        words.extend([
            "--db".to_owned(),
            std::path::absolute(db)?.to_string_lossy().into_owned(),
        ]);
    }
    let forbidden: &[char] = match kind {
        ScheduleKind::Schtasks => &['\n', '"', '%'],
        ScheduleKind::Systemd | ScheduleKind::Launchd | ScheduleKind::Cron => {
            &['\n', '"', '\\', '%', '$']
        }
    };
    if words.iter().any(|word| word.contains(forbidden)) {
        Err(CliError::bad_input(
            "the path of the program or of the database has characters that a timer changes",
        ))
    } else {
        Ok(words)
    }
}

fn render_files(kind: ScheduleKind, command: &[String]) -> Vec<TimerFile> {
    let arguments: Vec<String> = command
        .iter()
        .map(|command| {
            if command.contains(' ') {
                format!("\"{command}\"")
            } else {
                command.clone()
            }
        })
        .collect();
    let line = arguments.join(" ");
    match kind {
        ScheduleKind::Systemd => vec![
            TimerFile {
                place: ".config/systemd/user/hardwon-night.service",
                text: format!(
                    "[Unit]\nDescription=Back up, consolidate and place what agents learned\n\n[Service]\nType=oneshot\nExecStart={line}\nSuccessExitStatus=1 3\nNice=10\n"
                ),
            },
            TimerFile {
                place: ".config/systemd/user/hardwon-night.timer",
                text: format!(
                    "[Unit]\nDescription=Back up, consolidate and place what agents learned, every night\n\n[Timer]\nOnCalendar=*-*-* {HOUR:02}:{MINUTE:02}:00\nPersistent=true\nRandomizedDelaySec=10m\n\n[Install]\nWantedBy=timers.target\n"
                ),
            },
        ],
        ScheduleKind::Launchd => vec![TimerFile {
            place: "Library/LaunchAgents/dev.hardwon.night.plist",
            text: render_property_list(command),
        }],
        ScheduleKind::Cron => vec![TimerFile {
            place: "",
            text: format!("{MINUTE} {HOUR} * * * {line}\n"),
        }],
        ScheduleKind::Schtasks => vec![TimerFile {
            place: "",
            text: format!(
                "schtasks /Create /F /TN hardwon-night /SC DAILY /ST {HOUR:02}:{MINUTE:02} /TR \"{}\"\n",
                line.replace('"', "\\\"")
            ),
        }],
    }
}

fn render_property_list(command: &[String]) -> String {
    let escape = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let words: String = command
        .iter()
        .map(|command| format!("    <string>{}</string>\n", escape(command)))
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  \
         <string>dev.hardwon.night</string>\n  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  \
         <key>StartCalendarInterval</key>\n  <dict>\n    <key>Hour</key>\n    <integer>{HOUR}</integer>\n    \
         <key>Minute</key>\n    <integer>{MINUTE}</integer>\n  </dict>\n</dict>\n</plist>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(kind: ScheduleKind) -> String {
        let command = ["/opt/hard won/hardwon", "night"].map(str::to_owned);
        let files = render_files(kind, &command);
        files
            .iter()
            .map(|it| format!("{}\n{}", it.place, it.text))
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn what_timers_are_given() {
        insta::assert_snapshot!(rendered(ScheduleKind::Systemd), @r#"
        .config/systemd/user/hardwon-night.service
        [Unit]
        Description=Back up, consolidate and place what agents learned

        [Service]
        Type=oneshot
        ExecStart="/opt/hard won/hardwon" night
        SuccessExitStatus=1 3
        Nice=10

        .config/systemd/user/hardwon-night.timer
        [Unit]
        Description=Back up, consolidate and place what agents learned, every night

        [Timer]
        OnCalendar=*-*-* 03:30:00
        Persistent=true
        RandomizedDelaySec=10m

        [Install]
        WantedBy=timers.target
        "#);
        insta::assert_snapshot!(rendered(ScheduleKind::Cron), @r#"30 3 * * * "/opt/hard won/hardwon" night"#);
        assert!(
            rendered(ScheduleKind::Launchd)
                .contains("<string>/opt/hard won/hardwon</string>\n    <string>night</string>")
        );
    }
}
