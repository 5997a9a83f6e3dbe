//! Has `hardwon night` run every night: prints or writes what the system's own timer needs. Starts nothing itself.

use std::{env, fs, path::Path};

use crate::{CliError, GlobalArgs, Result, args::ScheduleKind, config, output};

/// When it runs: every night, when nothing else does.
const HOUR: u8 = 3;
const MINUTE: u8 = 30;

/// What starts a night.
struct NightTimer {
    /// The texts, each with its place below the home folder; none for what is no file.
    texts: Vec<(&'static str, String)>,
    /// How it is switched on once it is written; else what it is, and how a person installs it.
    installed: Result<&'static str, (&'static str, &'static str)>,
}

pub(super) fn run(global: &GlobalArgs, kind: ScheduleKind, installs: bool) -> Result<()> {
    let timer = make_timer(kind, &find_command(global, kind)?);
    if !installs {
        for (place, text) in &timer.texts {
            let title = if place.is_empty() {
                String::new()
            } else {
                format!("# ~/{place}\n")
            };
            output::print(&format!("{title}{text}\n"))?;
        }
        return Ok(());
    }
    let switch_on = timer
        .installed
        .map_err(|(name, hint)| bad_input!("{name} is not installed by hardwon").with_hint(hint))?;
    let home = config::home_folder().ok_or_else(|| {
        CliError::internal("there is no home folder to write to").with_hint("set HOME")
    })?;
    for (place, text) in &timer.texts {
        write_file(&home.join(place), text)?;
    }
    print_line!("switch it on: {switch_on}")
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    let result = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    result.map_err(CliError::bad_file("writing", path))?;
    print_line!("wrote {}", path.display())
}

/// Returns the words of the command, with the database if one was named.
fn find_command(global: &GlobalArgs, kind: ScheduleKind) -> Result<Vec<String>> {
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

fn make_timer(kind: ScheduleKind, command: &[String]) -> NightTimer {
    let quote = |word: &String| {
        if word.contains(' ') {
            format!("\"{word}\"")
        } else {
            word.clone()
        }
    };
    let line = command.iter().map(quote).collect::<Vec<_>>().join(" ");
    match kind {
        ScheduleKind::Systemd => NightTimer {
            texts: vec![
                (
                    ".config/systemd/user/hardwon-night.service",
                    format!(
                        "[Unit]\nDescription=Back up, consolidate and place what agents learned\n\n[Service]\nType=oneshot\nExecStart={line}\nSuccessExitStatus=1 3\nNice=10\n"
                    ),
                ),
                (
                    ".config/systemd/user/hardwon-night.timer",
                    format!(
                        "[Unit]\nDescription=Back up, consolidate and place what agents learned, every night\n\n[Timer]\nOnCalendar=*-*-* {HOUR:02}:{MINUTE:02}:00\nPersistent=true\nRandomizedDelaySec=10m\n\n[Install]\nWantedBy=timers.target\n"
                    ),
                ),
            ],
            installed: Ok("systemctl --user enable --now hardwon-night.timer"),
        },
        ScheduleKind::Launchd => NightTimer {
            texts: vec![(
                "Library/LaunchAgents/dev.hardwon.night.plist",
                render_property_list(command),
            )],
            installed: Ok("launchctl load ~/Library/LaunchAgents/dev.hardwon.night.plist"),
        },
        ScheduleKind::Cron => NightTimer {
            texts: vec![("", format!("{MINUTE} {HOUR} * * * {line}\n"))],
            installed: Err((
                "a line of a crontab",
                "add what `hardwon night --schedule cron` prints with `crontab -e`",
            )),
        },
        ScheduleKind::Schtasks => NightTimer {
            texts: vec![(
                "",
                format!(
                    "schtasks /Create /F /TN hardwon-night /SC DAILY /ST {HOUR:02}:{MINUTE:02} /TR \"{}\"\n",
                    line.replace('"', "\\\"")
                ),
            )],
            installed: Err((
                "a task of the Task Scheduler",
                "run what `hardwon night --schedule schtasks` prints in a command prompt",
            )),
        },
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
        let texts = make_timer(kind, &command).texts;
        texts
            .iter()
            .map(|(place, text)| format!("{place}\n{text}"))
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
