//! The commands with secret arguments, each with the option or the position of the secret.
//!
//! Commands that take a secret in the same way share a row. `command` applies the rows.

/// How a secret follows its option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretPlacement {
    /// `-pSECRET`
    Glued,
    /// `-p SECRET`
    Next,
    /// `-u user:SECRET`, `-U user%SECRET`, `-u user,SECRET`
    Pair,
    /// `user/SECRET@host`, an argument without an option.
    Slash,
    /// `name=SECRET`, without an option or after one of these.
    Named,
    /// `set NAME SECRET`: the last of two words after the verb.
    Last,
    /// The same where prose could follow as well: the secret has a digit or a sign.
    LastTyped,
    /// `directive 1 md5 SECRET`, or the same after one of these words: the first that is neither a number nor says
    /// how the secret is written.
    Keyed,
    /// `directive SECRET`, and nothing more on the line.
    Only,
}

/// Commands that take a secret in the same way.
#[derive(Debug, Clone, Copy)]
pub(super) struct SecretCommand {
    /// The beginnings of the commands' names.
    names: &'static [&'static str],
    /// The one that it is about.
    pub(super) name: &'static str,
    /// Words of which one must be in the line, if any.
    pub(super) verbs: &'static [&'static str],
    /// The options that a secret follows; without any, its position among the arguments decides.
    pub(super) options: &'static [&'static str],
    /// How the secret follows the option.
    pub(super) placement: SecretPlacement,
}

const fn command(
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    options: &'static [&'static str],
    takes: SecretPlacement,
) -> SecretCommand {
    SecretCommand {
        names,
        name: names[0],
        verbs,
        options,
        placement: takes,
    }
}

/// All commands.
#[rustfmt::skip]
const ROWS: &[SecretCommand] = &[
    command(&["curl", "etcdctl", "lftp"], &[], &["-u", "--user", "-U", "--proxy-user"], SecretPlacement::Pair),
    command(&["xh ", "http ", "https "], &[], &["-a", "--auth"], SecretPlacement::Pair),
    command(&["mysql", "mariadb", "sshpass", "7z ", "7za ", "7zr ", "unrar"], &[], &["-p"], SecretPlacement::Glued),
    command(&[
        "sshpass", "oc login", "az login", "mongo", "twine", "cqlsh", "evil-winrm", "netexec",
        "crackmapexec", "hydra", "cf login", "useradd", "usermod", "mongoimport", "psexec", "rdesktop",
        "certutil", "steghide", "mcrcon"
    ], &[], &["-p"], SecretPlacement::Next),
    command(&["docker", "podman", "helm", "skopeo", "buildah"], &["login"], &["-p"], SecretPlacement::Next),
    command(&[
        "sqlcmd", "unzip", "zip ", "mosquitto_", "ipmitool", "isql", "bcp ", "tsql ", "sqsh", "ssh-keygen"
    ], &[], &["-P", "-N"], SecretPlacement::Next),
    command(&["sqlcmd"], &[], &["-P"], SecretPlacement::Glued),
    command(&["ldap", "kadmin", "plink", "pscp"], &[], &["-w", "-pw"], SecretPlacement::Next),
    command(&["ldappasswd", "slappasswd"], &[], &["-s", "-a"], SecretPlacement::Next),
    command(&["smbclient", "winexe", "rpcclient", "smbget", "net rpc", "net ads"], &[], &["-U"], SecretPlacement::Pair),
    // Options that only these programs have.
    command(&[
        "rsync", "clickhouse", "gpg", "wget", "aws iam", "aws secretsmanager", "keytool", "jarsigner", "x11vnc", "schtasks",
        "signtool", "swaks", "ansible-vault"
    ], &[], &[
        "--password", "--passphrase", "--http-password", "--ftp-password", "--new-password", "--secret-string", "-storepass",
        "-keypass", "-new", "-passwd", "/rp", "/p", "-ap", "encrypt_string"
    ], SecretPlacement::Next),
    command(&["redis-cli"], &[], &["-a", "--pass", "AUTH"], SecretPlacement::Next),
    command(&["nmcli", "wpa_cli", "pdftk", "mysqladmin"], &[], &[
        "password", "input_pw", "owner_pw", "user_pw", "psk", "wifi-sec.psk", "802-11-wireless-security.psk", "passphrase"
    ], SecretPlacement::Next),
    command(&["db2 connect"], &[], &["using"], SecretPlacement::Next),
    command(&["rclone"], &["obscure"], &["obscure"], SecretPlacement::Next),
    command(&["gh secret", "az keyvault", "aws ssm"], &["set", "secret", "put-parameter"], &["-b", "--body", "--value"],
        SecretPlacement::Next),
    command(&["vault kv", "fly secrets", "flyctl secrets", "doppler secrets"], &["put", "patch", "set"], &[], SecretPlacement::Named),
    command(&["vault write", "heroku config"], &[], &[], SecretPlacement::Named),
    command(&["kubectl", "oc create"], &["secret"], &["--from-literal"], SecretPlacement::Named),
    command(&["htpasswd", "mosquitto_passwd", "rabbitmqctl", "ejabberdctl"], &[
        "-b", "-bc", "-cb", "-nb", "-bn", "-bB", "-Bb", "-nbB", "-bcB", "-cbB", "add_user", "change_password",
        "authenticate_user", "register"
    ], &[], SecretPlacement::Last),
    command(&["ngrok"], &["authtoken", "add-authtoken"], &[], SecretPlacement::Last),
    command(&["mc alias", "mc config"], &["set", "host"], &[], SecretPlacement::Last),
    command(&["networksetup", "dscl", "netlify", "pulumi config"], &["-setairportnetwork", "-passwd", "env:set", "--secret"],
        &[], SecretPlacement::Last),
    command(&["wpa_passphrase", "bw login"], &[], &[], SecretPlacement::Last),
    command(&["sqlplus", "rman ", "expdp", "impdp", "sqlldr"], &[], &[], SecretPlacement::Slash),
    command(&["openssl"], &[], &["-k", "-K"], SecretPlacement::Next),
    command(&["snmp"], &[], &["-A", "-X", "-c"], SecretPlacement::Next),
    command(&["rar "], &[], &["-hp", "-p"], SecretPlacement::Glued),
    command(&["xfreerdp", "cmdkey", "winrm", "winrs", "/radius", "/ip ipsec", "/ppp", "netsh wlan"], &[],
        &["/p:", "/pass:", "-p:", "secret=", "key=", "keyMaterial="], SecretPlacement::Glued),
    command(&["security "], &["add-generic-password", "add-internet-password"], &["-w"], SecretPlacement::Next),
    command(&["security ", "doveadm"], &["unlock-keychain", "create-keychain", "pw"], &["-p"], SecretPlacement::Next),
    command(&[
        "bw unlock", "zmprov", "poetry config", "openssl passwd", "mkpasswd",
        "vault login", "net use", "enable secret", "enable password"
    ], &[], &[], SecretPlacement::LastTyped),
    command(&["samba-tool", "grafana-cli"], &["user", "reset-admin-password"], &[], SecretPlacement::LastTyped),
    command(&["username", "neighbor"], &["secret", "password"], &[], SecretPlacement::LastTyped),
    command(&["etcdctl", "zkcli"], &["user", "addauth"], &["add", "digest"], SecretPlacement::Pair),
    command(&["requirepass", "masterauth"], &[], &[], SecretPlacement::Only),
    command(&["local-user", "snmp-server", "snmp-agent", "tacacs-server", "radius-server", "aaa-server"], &[],
        &["password", "community", "auth", "priv", "key", "secret"], SecretPlacement::Keyed),
    command(&[
        "snmp community", "isakmp key", "authentication-key", "message-digest-key", "pre-shared-key",
        "password 0", "password 5", "password 7", "secret 0", "secret 5", "secret 8", "secret 9", "key 7", "key-string", "server-key", "psksecret", "wpa-psk",
        "auth-pwd", "priv-pwd", "chap password", "pap password"
    ], &[], &[], SecretPlacement::Keyed),
];

list_by_word!(COMMANDS: SecretCommand = ROWS, name of names);
