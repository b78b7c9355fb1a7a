/* A user's program in C++17: recognizes a digit through tsmobile.hpp and prints its ten scores; compiled with
 * exceptions and without.
 *
 *     recognize_cxx17 MODEL.tsm IMAGE */
#include <cstdio>
#include <cstring>
#include <tsmobile.hpp>
#include <tsmobile/platform.h>

static tsm::span<const float> read_image(const char *path) {
    platform_file file;
    char message[256];
    if (!platform_file_open(&file, path, message, sizeof message))
        return {};
    return {static_cast<const float *>(file.data), file.bytes / sizeof(float)};
}

/* What must fail, and say why. */
static bool fails(tsm::result<tsm::value> r, tsm_status status, const char *text) {
    return !r && r.error().status() == status && std::strstr(r.error().text(), text);
}

int main(int argc, char **argv) {
    platform_file file;
    char message[256];
    if (argc != 3 || !platform_file_open(&file, argv[1], message, sizeof message))
        return 2;
    tsm::result<tsm::program> program = tsm::program::open(file.data, file.bytes);
    if (!program || tsm::program::open(argv[1], 1))
        return 3;
    if (tsm::instance::make(*program, 64))
        return 4;
    tsm::instance inst = tsm::instance::make(*program, 1 << 20).value();
    const tsm::value x = inst.wrap(read_image(argv[2]), {1, 1, 8, 8}).value();
    if (!fails(inst.call("backward", x), TSM_BAD_ARGUMENT, "method") ||
        !fails(inst.call("forward", tsm::value::of(1.5)), TSM_BAD_ARGUMENT, "forward"))
        return 5;
    tsm::value y = inst.call("forward", x).value(), copy = y;
    if (y.sizes().size() != 2 || !y.elements<double>().empty() || inst.text("text")->as_text() != "text")
        return 6;
    const std::vector<std::uint8_t> state = inst.save().value();
    y = tsm::value();
    if (!inst.load(state) || inst.load(tsm::span<const std::uint8_t>(state.data(), 8)))
        return 7;
    for (float score : copy.elements<float>())
        std::printf("%.9g\n", static_cast<double>(score));
    return 0;
}
