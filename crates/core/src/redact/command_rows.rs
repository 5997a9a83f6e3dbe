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
    /// `-u user:SECRET`
    Pair,
    /// `-U user%SECRET`
    Percent,
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
    /// `-u user,SECRET`
    Comma,
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
    command(&["curl"], &[], &["-u", "--user", "-U", "--proxy-user"], SecretPlacement::Pair),
    command(&["xh ", "http ", "https "], &[], &["-a", "--auth"], SecretPlacement::Pair),
    command(&["mysql", "mariadb", "sshpass", "7z ", "7za ", "7zr ", "unrar"], &[], &["-p"], SecretPlacement::Glued),
    command(&[
        "sshpass", "oc login", "az login", "mongo", "twine", "cqlsh", "evil-winrm", "netexec",
        "crackmapexec", "hydra", "cf login", "useradd", "usermod", "mongoimport", "psexec", "rdesktop",
        "certutil", "steghide", "mcrcon"
    ], &[], &["-p"], SecretPlacement::Next),
    command(&["redis-cli"], &[], &["-a", "--pass"], SecretPlacement::Next),
    command(&["docker", "podman", "helm", "skopeo", "buildah"], &["login"], &["-p"], SecretPlacement::Next),
    command(&[
        "sqlcmd", "unzip", "zip ", "mosquitto_", "ipmitool", "isql", "bcp ", "tsql ", "sqsh"
    ], &[], &["-P"], SecretPlacement::Next),
    command(&["sqlcmd"], &[], &["-P"], SecretPlacement::Glued),
    command(&["ldap"], &[], &["-w"], SecretPlacement::Next),
    command(&["smbclient", "winexe", "rpcclient", "smbget", "net rpc", "net ads"], &[], &["-U"], SecretPlacement::Percent),
    command(&["rsync", "clickhouse"], &[], &["--password"], SecretPlacement::Next),
    command(&["gh secret"], &["set"], &["-b", "--body"], SecretPlacement::Next),
    command(&["az keyvault"], &["secret"], &["--value"], SecretPlacement::Next),
    command(&["aws ssm"], &["put-parameter"], &["--value"], SecretPlacement::Next),
    command(&["aws secretsmanager"], &[], &["--secret-string"], SecretPlacement::Next),
    command(&["aws iam"], &[], &["--password", "--new-password"], SecretPlacement::Next),
    command(&["keytool"], &[], &["-storepass", "-keypass", "-new"], SecretPlacement::Next),
    command(&["jarsigner"], &[], &["-storepass", "-keypass"], SecretPlacement::Next),
    command(&["vault kv"], &["put", "patch"], &[], SecretPlacement::Named),
    command(&["vault write", "heroku config"], &[], &[], SecretPlacement::Named),
    command(&["kubectl", "oc create"], &["secret"], &["--from-literal"], SecretPlacement::Named),
    command(&["fly secrets", "flyctl secrets", "doppler secrets"], &["set"], &[], SecretPlacement::Named),
    command(&["htpasswd"], &["-b", "-bc", "-cb", "-nb", "-bn", "-bB", "-Bb", "-nbB", "-bcB", "-cbB"], &[], SecretPlacement::Last),
    command(&["rabbitmqctl"], &["add_user", "change_password", "authenticate_user"], &[], SecretPlacement::Last),
    command(&["wpa_passphrase", "bw login"], &[], &[], SecretPlacement::Last),
    command(&["sqlplus", "rman ", "expdp", "impdp", "sqlldr"], &[], &[], SecretPlacement::Slash),
    command(&["openssl"], &[], &["-k", "-K"], SecretPlacement::Next),
    command(&["plink", "pscp"], &[], &["-pw"], SecretPlacement::Next),
    command(&["ldappasswd"], &[], &["-s", "-a"], SecretPlacement::Next),
    command(&["gpg"], &[], &["--passphrase"], SecretPlacement::Next),
    command(&["ngrok"], &["authtoken", "add-authtoken"], &[], SecretPlacement::Last),
    command(&["snmp"], &[], &["-A", "-X", "-c"], SecretPlacement::Next),
    command(&["rar "], &[], &["-hp", "-p"], SecretPlacement::Glued),
    command(&["wget"], &[], &["--http-password", "--ftp-password"], SecretPlacement::Next),
    command(&["etcdctl"], &[], &["--user"], SecretPlacement::Pair),
    command(&["ssh-keygen"], &[], &["-N", "-P"], SecretPlacement::Next),
    command(&["xfreerdp"], &[], &["/p:"], SecretPlacement::Glued),
    command(&["cmdkey"], &[], &["/pass:"], SecretPlacement::Glued),
    command(&["winrm", "winrs"], &[], &["-p:"], SecretPlacement::Glued),
    command(&["/radius", "/ip ipsec", "/ppp"], &[], &["secret="], SecretPlacement::Glued),
    command(&["netsh wlan"], &[], &["key=", "keyMaterial="], SecretPlacement::Glued),
    command(&["wpa_cli"], &[], &["psk", "password", "passphrase"], SecretPlacement::Next),
    command(&["schtasks"], &[], &["/rp"], SecretPlacement::Next),
    command(&["signtool"], &[], &["/p"], SecretPlacement::Next),
    command(&["security "], &["add-generic-password", "add-internet-password"], &["-w"], SecretPlacement::Next),
    command(&["security "], &["unlock-keychain", "create-keychain"], &["-p"], SecretPlacement::Next),
    command(&["pdftk"], &[], &["input_pw", "owner_pw", "user_pw"], SecretPlacement::Next),
    command(&["nmcli"], &[], &["password", "psk", "wifi-sec.psk", "802-11-wireless-security.psk"], SecretPlacement::Next),
    command(&["lftp"], &[], &["-u"], SecretPlacement::Comma),
    command(&["redis-cli"], &[], &["AUTH"], SecretPlacement::Next),
    command(&["mysqladmin"], &[], &["password"], SecretPlacement::Next),
    command(&["rclone"], &["obscure"], &["obscure"], SecretPlacement::Next),
    command(&["mc alias"], &["set"], &[], SecretPlacement::Last),
    command(&["mc config"], &["host"], &[], SecretPlacement::Last),
    command(&[
        "bw unlock", "zmprov", "poetry config", "openssl passwd", "mkpasswd",
        "vault login", "net use", "enable secret", "enable password"
    ], &[], &[], SecretPlacement::LastTyped),
    command(&["networksetup"], &["-setairportnetwork"], &[], SecretPlacement::Last),
    command(&["dscl"], &["-passwd"], &[], SecretPlacement::Last),
    command(&["ejabberdctl"], &["register", "change_password"], &[], SecretPlacement::Last),
    command(&["samba-tool"], &["user"], &[], SecretPlacement::LastTyped),
    command(&["netlify"], &["env:set"], &[], SecretPlacement::Last),
    command(&["pulumi config"], &["--secret"], &[], SecretPlacement::Last),
    command(&["grafana-cli"], &["reset-admin-password"], &[], SecretPlacement::LastTyped),
    command(&["mosquitto_passwd"], &["-b", "-bc"], &[], SecretPlacement::Last),
    command(&["ansible-vault"], &[], &["encrypt_string"], SecretPlacement::Next),
    command(&["local-user"], &[], &["password"], SecretPlacement::Keyed),
    command(&["slappasswd"], &[], &["-s"], SecretPlacement::Next),
    command(&["doveadm"], &["pw"], &["-p"], SecretPlacement::Next),
    command(&["swaks"], &[], &["-ap"], SecretPlacement::Next),
    command(&["db2 connect"], &[], &["using"], SecretPlacement::Next),
    command(&["kadmin"], &[], &["-w", "-pw"], SecretPlacement::Next),
    command(&["x11vnc"], &[], &["-passwd"], SecretPlacement::Next),
    command(&["etcdctl"], &["user"], &["add"], SecretPlacement::Pair),
    command(&["zkcli"], &["addauth"], &["digest"], SecretPlacement::Pair),
    command(&["requirepass", "masterauth"], &[], &[], SecretPlacement::Only),
    command(&["username"], &["secret", "password"], &[], SecretPlacement::LastTyped),
    command(&["neighbor"], &["password"], &[], SecretPlacement::LastTyped),
    command(&["snmp-server", "snmp-agent"], &[], &["community", "auth", "priv"], SecretPlacement::Keyed),
    command(&[
        "snmp community", "isakmp key", "authentication-key", "message-digest-key", "pre-shared-key",
        "password 0", "password 5", "password 7", "secret 0", "secret 5", "secret 8", "secret 9", "key 7", "key-string", "server-key", "psksecret", "wpa-psk",
        "auth-pwd", "priv-pwd", "chap password", "pap password"
    ], &[], &[], SecretPlacement::Keyed),
    command(&["tacacs-server", "radius-server", "aaa-server"], &[], &["key", "secret"], SecretPlacement::Keyed),
];

list_by_word!(COMMANDS: SecretCommand = ROWS, name of names);
