"""What agents get of the environment: what they need to work, and no secret that nobody meant for them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toryo.rules.environment import allowed, without_nesting


def names(text: str) -> list[str]:
    return text.split()


NEEDED = names("""
    PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ TERM COLORTERM TMPDIR XDG_CONFIG_HOME XDG_RUNTIME_DIR
    SSH_AUTH_SOCK GIT_SSH_COMMAND GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT
    GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 HTTPS_PROXY https_proxy no_proxy SSL_CERT_FILE NODE_EXTRA_CA_CERTS
    VIRTUAL_ENV PYTHONPATH PYENV_ROOT CONDA_PREFIX NVM_DIR VOLTA_HOME FNM_DIR ASDF_DIR MISE_SHELL CARGO_HOME
    RUSTUP_HOME GOPATH GOPROXY JAVA_HOME GRADLE_USER_HOME M2_HOME ANDROID_HOME NODE_PATH NODE_OPTIONS
    NPM_CONFIG_REGISTRY npm_config_cache PNPM_HOME BUN_INSTALL DENO_DIR GEM_HOME BUNDLE_PATH DOTNET_ROOT NIX_PATH
    HOMEBREW_PREFIX UV_CACHE_DIR UV_KEYRING_PROVIDER PIP_INDEX_URL PIP_CERT LD_LIBRARY_PATH PKG_CONFIG_PATH CC
    CFLAGS DISPLAY WAYLAND_DISPLAY NO_COLOR CI
""")
NOT_THEIRS = names("""
    AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN ANTHROPIC_API_KEY
    OPENAI_API_KEY GEMINI_API_KEY DATABASE_URL PGPASSWORD KUBECONFIG DOCKER_HOST NPM_TOKEN NODE_AUTH_TOKEN VAULT_ADDR
    SSH_AGENT_PID SSH_ASKPASS GIT_ASKPASS GIT_TOKEN GIT_DIR GIT_INDEX_FILE PWD OLDPWD TERM_PROGRAM path Path XPATH
    npm_config_//registry.example/:_authToken NPM_CONFIG__AUTH npm_config__password NPM_CONFIG_OTP npm_config_key
    UV_INDEX_PRIVATE_PASSWORD UV_PUBLISH_TOKEN POETRY_HTTP_BASIC_X_PASSWORD POETRY_PYPI_TOKEN_X MISE_GITHUB_TOKEN
    HOMEBREW_GITHUB_API_TOKEN GRADLE_PUBLISH_SECRET GRADLE_ENCRYPTION_KEY BUNDLE_GEMS__EXAMPLE__COM YARN_NPM_AUTH_TOKEN
    TORYO_RUN_PARALLEL CLAUDE_CODE_MAX_RETRIES
""")
NESTING = names("""
    CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SSE_PORT CLAUDE_CODE_SESSION_ID CLAUDE_CODE_CHILD_SESSION CLAUDE_PID
    CLAUDE_CODE_SESSION_ATTENDED CLAUDE_PROJECT_DIR CLAUDE_ENV_FILE CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR
    CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_THREAD_ID CODEX_CI CODEX_TOOL_CALL_ID CODEX_MANAGED_BY_NPM
    CODEX_SESSION_ID CODEX_VERSION CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_EXECPATH CLAUDE_EFFORT
    GEMINI_CLI GEMINI_CLI_IDE_SERVER_PORT GEMINI_SESSION_ID AGENT OPENCODE OPENCODE_PID OPENCODE_CALLER AI_AGENT
    TMUX TMUX_PANE TORYO_SESSION TORYO_TASK TORYO_RUN TORYO_ATTEMPT TORYO_MAIN TORYO_PROMPT TORYO_SIGNALS TORYO_RECORD
    TORYO_INTENT TORYO_INTENT_TYPE TORYO_BIN
""")
OWN_SETTINGS = names("""
    CLAUDE_CODE_MAX_RETRIES CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_OAUTH_TOKEN CLAUDE_CONFIG_DIR CLAUDE_CODE_TMUX_TRUECOLOR
    CODEX_HOME CODEX_API_KEY GEMINI_API_KEY GEMINI_CLI_TRUST_WORKSPACE OPENCODE_CONFIG OPENCODE_DISABLE_AUTOUPDATE
    TORYO_RUN_PARALLEL TORYO_AGENTS_CLAUDE_MODEL TMUX_TMPDIR USER_AGENT
""")


@pytest.mark.parametrize("name", NEEDED)
def test_what_programs_need_gets_through(name: str) -> None:
    assert allowed({name: "x"}, ()) == {name: "x"}


@pytest.mark.covers("P48")
@pytest.mark.parametrize("name", NOT_THEIRS)
def test_what_nobody_named_stays_out(name: str) -> None:
    assert allowed({name: "x"}, ()) == {}
    assert allowed({name: "x"}, [name]) == {name: "x"}


@pytest.mark.covers("P48")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PIP_INDEX_URL", "https://me:hunter2@pypi.example.com/simple"),
        ("UV_INDEX", "private=https://token@pypi.example.com/simple"),
        ("GOPROXY", "https://proxy.golang.org,https://me:hunter2@go.example.com"),
        ("NIX_CONFIG", "access-tokens = github.com=x"),
        ("GRADLE_OPTS", "-Xmx1g -Dregistry.password=hunter2"),
        ("NODE_OPTIONS", "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1234"),
    ],
)
def test_values_that_carry_a_credential_stay_out(name: str, value: str) -> None:
    assert allowed({name: value}, ()) == {}
    assert allowed({name: "plain"}, ()) == {name: "plain"}
    assert allowed({name: value}, [name]) == {name: value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTPS_PROXY", "http://me:hunter2@proxy:3128"),
        ("GIT_CONFIG_VALUE_0", "AUTHORIZATION: basic x"),
        ("PYTHONPATH", "/src/tokenizers:/src/passwords:/lib"),
        ("NPM_CONFIG_REGISTRY", "https://registry.example.com/@scope"),
    ],
)
def test_values_that_are_needed_or_only_look_odd_get_through(name: str, value: str) -> None:
    assert allowed({name: value}, ()) == {name: value}


@pytest.mark.covers("F18")
@pytest.mark.parametrize("name", NESTING)
def test_traces_of_the_caller_never_get_through(name: str) -> None:
    environ = {name: "1", "PATH": "/bin"}
    assert allowed(environ, ["*"]) == without_nesting(environ) == {"PATH": "/bin"}
    assert allowed(environ, [name]) == {"PATH": "/bin"}


@pytest.mark.parametrize("name", OWN_SETTINGS)
def test_settings_of_the_person_are_no_traces_of_a_caller(name: str) -> None:
    assert without_nesting({name: "1"}) == {name: "1"}
    assert allowed({name: "1"}, ["*"]) == {name: "1"}


def test_patterns_match_whole_names_and_mind_the_case() -> None:
    environ = {"AWS_REGION": "a", "MY_AWS_REGION": "b", "aws_region": "c", "DB_1": "d", "DB_22": "e"}
    assert allowed(environ, ["AWS_*"]) == {"AWS_REGION": "a"}
    assert allowed(environ, ["AWS"]) == {}
    assert allowed(environ, ["DB_?", "aws_[qr]egion"]) == {"aws_region": "c", "DB_1": "d"}
    assert allowed(environ, ["["]) == {}


ENVIRONS = st.dictionaries(
    st.sampled_from([*NEEDED, *NOT_THEIRS, *NESTING, *OWN_SETTINGS]) | st.text(min_size=1), st.text(), max_size=30
)
PATTERNS = st.lists(st.sampled_from(["*", "AWS_*", "CLAUDE*", "T*", "*_CLI", "C[LO]*"]) | st.text(max_size=8))


@pytest.mark.covers("P48", "F18")
@given(ENVIRONS, PATTERNS)
@example(dict.fromkeys(NESTING, "1"), ["*", *NESTING])
def test_a_part_of_the_environment_unchanged_and_without_traces(environ: dict[str, str], passes: list[str]) -> None:
    result = allowed(environ, passes)
    assert result.items() <= without_nesting(environ).items() <= environ.items()
    assert result.keys().isdisjoint(NESTING)
    assert without_nesting(environ).keys().isdisjoint(NESTING)
    assert allowed({}, passes) == {}


@given(ENVIRONS, PATTERNS)
def test_twice_is_once(environ: dict[str, str], passes: list[str]) -> None:
    once = allowed(environ, passes)
    assert allowed(once, passes) == once
    assert without_nesting(without_nesting(environ)) == without_nesting(environ)


@given(ENVIRONS, PATTERNS, PATTERNS)
def test_more_patterns_let_more_through(environ: dict[str, str], passes: list[str], more: list[str]) -> None:
    assert allowed(environ, passes).items() <= allowed(environ, [*passes, *more]).items()


@given(ENVIRONS)
def test_a_star_lets_everything_through_but_traces(environ: dict[str, str]) -> None:
    assert allowed(environ, ["*"]) == without_nesting(environ)
