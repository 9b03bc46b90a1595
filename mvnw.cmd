@echo off
rem Runs this project's own Maven (version, address and checksum are in
rem .mvn\wrapper\maven-wrapper.properties) on a JDK that can build the project.
rem Neither needs to be the machine's default. All arguments go to Maven.
rem
rem   JAVA_HOME        the JDK to use; if it is too old, another one is looked for
rem   MAVEN_USER_HOME  where Maven is kept, in wrapper\dists (default: ~\.m2)
rem   MVNW_REPOURL     a Maven repository to download Maven from, instead of the
rem                    Apache archive, when no mvn on the PATH can fetch it
rem
rem This is the Windows side of mvnw, and does the same. The work is done by the
rem PowerShell script at the end of this file, which prints NAME=value lines;
rem Maven itself is started from here, since its arguments would not come
rem through PowerShell unchanged. Keep this file ASCII: both sides read it.
setlocal
set "MVNW_FILE=%~f0"
set "MVNW_JDK="
set "MVNW_MAVEN="
rem Started from PowerShell 7, the older one would load that one's modules.
set "PSModulePath="
for /f "usebackq tokens=1,* delims==" %%a in (`powershell -NoProfile -ExecutionPolicy Bypass -Command "$s = [IO.File]::ReadAllText($env:MVNW_FILE); Invoke-Expression $s.Substring($s.LastIndexOf('#PowerShell#'))"`) do (
  if "%%a"=="MVNW_JDK" set "MVNW_JDK=%%b"
  if "%%a"=="MVNW_MAVEN" set "MVNW_MAVEN=%%b"
)
rem The script has said why.
if not defined MVNW_MAVEN exit /b 1
set "JAVA_HOME=%MVNW_JDK%"
rem Without "call", which would double each caret in the arguments, mvn.cmd takes
rem over: cmd comes back here only if that could not be started.
"%MVNW_MAVEN%\bin\mvn.cmd" %*
exit /b %ERRORLEVEL%

#PowerShell# For Windows PowerShell 5.1 and later. cmd stops above.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue' # drawing the bar takes longer than the download
$minJava = 25
$properties = Join-Path (Split-Path -Parent $env:MVNW_FILE) '.mvn\wrapper\maven-wrapper.properties'

# stdout is for the two values only.
function Say($text) { [Console]::Error.WriteLine("mvnw: $text") }
function Die($text) { Say $text; exit 1 }

function Get-Property($name) {
  foreach ($line in [IO.File]::ReadAllLines($properties)) {
    if ($line.StartsWith("$name=")) { return $line.Substring($name.Length + 1) }
  }
  Die "$properties sets no $name"
}

# --- The JDK ---------------------------------------------------------------

# The compiler is looked for as well, since a JRE has the version but cannot build.
function Test-Jdk($dir) {
  $dir -and (Test-Path -LiteralPath "$dir\bin\java.exe") -and (Test-Path -LiteralPath "$dir\bin\javac.exe")
}

# The feature release (25 for 25.0.3) of the Java in a folder, without starting it.
function Get-JavaMajor($dir) {
  if (Test-Path -LiteralPath "$dir\release") {
    $release = [IO.File]::ReadAllText("$dir\release")
    if ($release -match '(?m)^JAVA_VERSION="?(\d+)') { return [int]$Matches[1] }
  }
  return [Diagnostics.FileVersionInfo]::GetVersionInfo("$dir\bin\java.exe").FileMajorPart
}

# The home of the java on the PATH; launchers that lie elsewhere are passed over.
function Get-PathJavaHome {
  $java = Get-Command java.exe -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
  if ($java) { Split-Path -Parent (Split-Path -Parent $java.Path) }
}

# Installers use <Program Files>\<vendor>\<JDK>, all users' or the user's own;
# then the folders of Scoop, SDKMAN and IntelliJ IDEA.
function Get-NewestInstalledJdk {
  $patterns = "$env:ProgramFiles\*\*", "$env:LOCALAPPDATA\Programs\*\*",
    "$env:USERPROFILE\scoop\apps\*jdk*\current", "$env:USERPROFILE\.sdkman\candidates\java\*",
    "$env:USERPROFILE\.jdks\*"
  $best = $null
  $bestMajor = 0
  foreach ($javac in Get-Item ($patterns | ForEach-Object { "$_\bin\javac.exe" }) -ErrorAction SilentlyContinue) {
    $dir = $javac.Directory.Parent.FullName
    if (-not (Test-Jdk $dir)) { continue }
    $major = Get-JavaMajor $dir
    if ($major -gt $bestMajor) { $best = $dir; $bestMajor = $major }
  }
  return $best
}

function Find-Jdk {
  foreach ($source in { $env:JAVA_HOME }, { Get-PathJavaHome }, { Get-NewestInstalledJdk }) {
    $dir = & $source
    if ((Test-Jdk $dir) -and (Get-JavaMajor $dir) -ge $minJava) { return $dir }
  }
  Die "no JDK $minJava or newer found; install one (for example Temurin $minJava) or set JAVA_HOME"
}

# --- Maven -----------------------------------------------------------------

# Fetches the zip into a folder with an older mvn, which knows the user's
# mirrors, proxies and credentials. It runs in that folder and not in the
# project, whose pom.xml and .mvn it may be too old for.
function Get-ZipWithMvn($dir) {
  $mvn = Get-Command -Name 'mvn.cmd', 'mvn.exe', 'mvn.bat' -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
  if (-not $mvn) { return $false }
  # In Windows PowerShell, 'Stop' would turn any redirected line on stderr into a failure.
  $ErrorActionPreference = 'Continue'
  $userJavaHome = $env:JAVA_HOME
  $userBasedir = $env:MAVEN_BASEDIR
  Push-Location -LiteralPath $dir
  try {
    $env:MAVEN_BASEDIR = $null
    # It runs on the Java it is used to, since an old Maven may not work on a new
    # one; on ours only where it does not start, as when there is no other.
    & $mvn.Path -v 2>&1 | Out-Null
    if ($LASTEXITCODE -ne 0) { $env:JAVA_HOME = $jdk }
    & $mvn.Path -B -q org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy "-Dartifact=org.apache.maven:apache-maven:${version}:zip:bin" '-DoutputDirectory=.' 2>&1 | Out-Null
  } finally {
    Pop-Location
    $env:JAVA_HOME = $userJavaHome
    $env:MAVEN_BASEDIR = $userBasedir
  }
  return (Test-Path -LiteralPath "$dir\$zip")
}

function Get-ZipFromWeb($dir) {
  $address = $url
  if ($env:MVNW_REPOURL) {
    $address = $env:MVNW_REPOURL.TrimEnd('/') + "/org/apache/maven/apache-maven/$version/$zip"
  }
  # An address may hold a password, which does not belong in the log of a build.
  Say "downloading it from $($address -replace '//[^/@]*@', '//')"
  try {
    # Older Windows does not offer TLS 1.2 by itself.
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    Invoke-WebRequest -UseBasicParsing -Uri $address -OutFile "$dir\$zip"
  } catch {
    Say $_.Exception.Message
    Die "cannot download Maven $version; check the network, or set MVNW_REPOURL to a Maven repository you can reach"
  }
}

function Get-Sha512($file) {
  $stream = [IO.File]::OpenRead($file)
  try {
    $bytes = [Security.Cryptography.SHA512]::Create().ComputeHash($stream)
    return [BitConverter]::ToString($bytes).Replace('-', '').ToLowerInvariant()
  } finally {
    $stream.Dispose()
  }
}

# Puts Maven at $mavenHome. The working folder lies beside it so that the last
# step is a rename, and nobody ever finds half a Maven there.
function Install-Maven {
  $parent = Split-Path -Parent $mavenHome
  $work = Join-Path $parent ('.new.' + [Guid]::NewGuid().ToString('N').Substring(0, 8))
  try {
    [void][IO.Directory]::CreateDirectory($work)
  } catch {
    Die "cannot write to $parent; make it writable, or set MAVEN_USER_HOME"
  }
  try {
    Say "fetching Maven $version"
    if (-not (Get-ZipWithMvn $work)) { Get-ZipFromWeb $work }
    $actual = Get-Sha512 "$work\$zip"
    if ($actual -ne $checksum) {
      Die "refusing ${zip}: its SHA-512 is $actual, not the distributionSha512Sum of $properties"
    }
    Add-Type -AssemblyName System.IO.Compression.FileSystem
    [IO.Compression.ZipFile]::ExtractToDirectory("$work\$zip", $work)
    try {
      [IO.Directory]::Move("$work\apache-maven-$version", $mavenHome)
    } catch {
      # Another run was faster, and its Maven is as good as this one.
      if (-not (Test-Path -LiteralPath "$mavenHome\bin\mvn.cmd")) {
        Die "cannot create $mavenHome; delete it if it is there, and try again"
      }
    }
  } finally {
    Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
  }
}

# --- Main ------------------------------------------------------------------

# A fault nobody thought of is still one line, and no Maven is started.
trap { Die $_.Exception.Message }

if (-not (Test-Path -LiteralPath $properties)) { Die "$properties is missing; restore it from version control" }
$version = Get-Property 'mavenVersion'
$url = Get-Property 'distributionUrl'
$checksum = Get-Property 'distributionSha512Sum'
$zip = "apache-maven-$version-bin.zip"

$userHome = $env:MAVEN_USER_HOME
if (-not $userHome) { $userHome = Join-Path $env:USERPROFILE '.m2' }
# .NET resolves relative paths against another folder than PowerShell does.
$userHome = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($userHome)
# The checksum is in the path so that a corrected one never meets the old files.
$mavenHome = Join-Path $userHome "wrapper\dists\apache-maven-$version\$($checksum.Substring(0, 12))"

$jdk = Find-Jdk
if (-not (Test-Path -LiteralPath "$mavenHome\bin\mvn.cmd")) { Install-Maven }
"MVNW_JDK=$jdk"
"MVNW_MAVEN=$mavenHome"
